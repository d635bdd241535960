#include "tests/bench/memory/corpus/kernel_source.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace kernelsmith::memory::bench {
namespace {

constexpr const char* kVectorKernel = R"(#include "kernel_operator.h"
constexpr uint32_t $a = $tile;
class Kernel_$op {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t $b) {
    $c = $b / $a;
    x_.SetGlobalBuffer((__gm__ $t*)x, $b);
    y_.SetGlobalBuffer((__gm__ $t*)y, $b);
    pipe_.InitBuffer(in_, $buffers, $a * sizeof($t));
    pipe_.InitBuffer(out_, $buffers, $a * sizeof($t));
  }
  __aicore__ inline void Process() {
    for (uint32_t i = AscendC::GetBlockIdx(); i < $c; i += $cores) {
      auto $d = in_.AllocTensor<$t>();
      AscendC::DataCopy($d, x_[i * $a], $a);
      in_.EnQue($d);
      auto $e = in_.DeQue<$t>();
      auto $f = out_.AllocTensor<$t>();
      AscendC::$api1($f, $e, $a);
      AscendC::$api2($f, $f, $e, $a);
      out_.EnQue($f);
      in_.FreeTensor($e);
      AscendC::DataCopy(y_[i * $a], out_.DeQue<$t>(), $a);
    }
  }
 private:
  AscendC::TPipe pipe_;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> in_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_;
  AscendC::GlobalTensor<$t> x_, y_;
  uint32_t $c = 0;
};
)";

constexpr const char* kReduceKernel = R"(#include "kernel_operator.h"
constexpr int32_t $a = $tile;
__aicore__ inline void $b(AscendC::LocalTensor<$t>& $c, AscendC::LocalTensor<float>& $d, int32_t $e) {
  AscendC::Cast($d, $c, AscendC::RoundMode::CAST_NONE, $e);
  AscendC::$api1($d, $d, $d[$e], $e);
  AscendC::SetFlag<AscendC::HardEvent::V_S>(EVENT_ID0);
  AscendC::WaitFlag<AscendC::HardEvent::V_S>(EVENT_ID0);
  const float $f = $d.GetValue(0);
  AscendC::Muls($d, $d, 1.0f / $f, $e);
  AscendC::$api2($d, $d, $e);
}
extern "C" __global__ __aicore__ void $op(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  AscendC::TPipe pipe;
  AscendC::TBuf<AscendC::TPosition::VECCALC> $c;
  pipe.InitBuffer($c, $buffers * $a * sizeof(float));
  for (int32_t row = AscendC::GetBlockIdx(); row < data.rows; row += $cores) {
    AscendC::DataCopyPad($c, x[row * data.columns], {1, data.columns * sizeof($t), 0, 0});
    $b($c, data.$d, data.columns);
    AscendC::PipeBarrier<PIPE_ALL>();
  }
}
)";

constexpr const char* kCpuKernel = R"(#include <kernelsmith/kernel_abi.h>
#include <immintrin.h>
namespace {
constexpr int64_t $a = $tile;
inline void $b(const $t* __restrict $c, $t* __restrict $d, int64_t $e) {
  for (int64_t i = 0; i < $e; i += $a) {
    __builtin_prefetch($c + i + $a);
    $t $f = 0;
    for (int64_t j = i; j < std::min(i + $a, $e); ++j) {
      $f = std::max($f, $c[j]);
      $d[j] = $c[j] * $f;
    }
  }
}
}  // namespace
extern "C" int ks_kernel(const ks_call* call) {
  const auto* x = static_cast<const $t*>(call->inputs[0].data);
  auto* y = static_cast<$t*>(call->outputs[0].data);
  const int64_t $g = call->inputs[0].shape[0];
#pragma omp parallel for num_threads($buffers) schedule(static, $cores)
  for (int64_t row = 0; row < $g; ++row) $b(x + row * $a, y + row * $a, $a);  // $op
  return 0;
}
)";

}  // namespace

std::string KernelSource(const Vocabulary& vocabulary, const SourceParameters& parameters, Random names) {
  const char* form = !parameters.ascend ? kCpuKernel : names.Chance(0.5) ? kVectorKernel : kReduceKernel;
  std::string drawn[7];
  for (std::string& name : drawn) name = vocabulary.DrawIdentifier(names);
  return absl::StrReplaceAll(form, {{"$api1", vocabulary.DrawApi(names)},
                                    {"$api2", vocabulary.DrawApi(names)},
                                    {"$buffers", absl::StrCat(parameters.buffers)},
                                    {"$cores", absl::StrCat(parameters.cores)},
                                    {"$tile", absl::StrCat(parameters.tile)},
                                    {"$op", parameters.operator_name},
                                    {"$a", drawn[0]},
                                    {"$b", drawn[1]},
                                    {"$c", drawn[2]},
                                    {"$d", drawn[3]},
                                    {"$e", drawn[4]},
                                    {"$f", drawn[5]},
                                    {"$g", drawn[6]},
                                    {"$t", parameters.element_type}});
}

}  // namespace kernelsmith::memory::bench
