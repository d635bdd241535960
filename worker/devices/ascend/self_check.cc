#include "worker/devices/ascend/self_check.h"

#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "common/status.h"
#include "worker/devices/ascend/ascend_card.h"
#include "worker/runner/slot_pool.h"

namespace kernelsmith::worker {
namespace {

constexpr int64_t kElements = 100 * 1000;

constexpr const char* kKernel = R"(#include "kernel_operator.h"

// y = 2 x + 1. Each block takes an equal share of the elements, tile by tile through two buffers; the last tile of a
// block may be short.
class Affine {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR tiling) {
    __gm__ int32_t* numbers = (__gm__ int32_t*)tiling;
    const int32_t total = numbers[0];
    const int32_t share = numbers[1];
    tile_ = numbers[2];
    const int32_t begin = AscendC::GetBlockIdx() * share;
    count_ = total - begin < share ? total - begin : share;
    if (count_ < 0) count_ = 0;
    x_.SetGlobalBuffer((__gm__ float*)x + begin, count_);
    y_.SetGlobalBuffer((__gm__ float*)y + begin, count_);
    pipe_.InitBuffer(in_, 2, tile_ * sizeof(float));
    pipe_.InitBuffer(out_, 2, tile_ * sizeof(float));
  }

  __aicore__ inline void Process() {
    for (int32_t at = 0; at < count_; at += tile_) {
      const int32_t n = count_ - at < tile_ ? count_ - at : tile_;
      CopyIn(at, n);
      Compute(n);
      CopyOut(at, n);
    }
  }

 private:
  __aicore__ inline void CopyIn(int32_t at, int32_t n) {
    AscendC::LocalTensor<float> x = in_.AllocTensor<float>();
    AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(n * sizeof(float)), 0, 0, 0};
    AscendC::DataCopyPadExtParams<float> pad{false, 0, 0, 0};
    AscendC::DataCopyPad(x, x_[at], copy, pad);
    in_.EnQue(x);
  }

  __aicore__ inline void Compute(int32_t n) {
    AscendC::LocalTensor<float> x = in_.DeQue<float>();
    AscendC::LocalTensor<float> y = out_.AllocTensor<float>();
    AscendC::Muls(y, x, 2.0f, n);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Adds(y, y, 1.0f, n);
    out_.EnQue(y);
    in_.FreeTensor(x);
  }

  __aicore__ inline void CopyOut(int32_t at, int32_t n) {
    AscendC::LocalTensor<float> y = out_.DeQue<float>();
    AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(n * sizeof(float)), 0, 0, 0};
    AscendC::DataCopyPad(y_[at], y, copy);
    out_.FreeTensor(y);
  }

  AscendC::TPipe pipe_;
  AscendC::TQue<AscendC::TPosition::VECIN, 2> in_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 2> out_;
  AscendC::GlobalTensor<float> x_;
  AscendC::GlobalTensor<float> y_;
  int32_t count_ = 0;
  int32_t tile_ = 0;
};

extern "C" __global__ __aicore__ void affine(GM_ADDR x, GM_ADDR y, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  Affine kernel;
  kernel.Init(x, y, tiling);
  kernel.Process();
}
)";

constexpr const char* kPlan = R"(#include <kernelsmith/plan_abi.h>

// Total elements, elements of a block, elements of a tile.
static int32_t tiling[8];

extern "C" int ks_plan(const ks_call* call, ks_plan* plan) {
  const int64_t total = call->inputs[0].elements;
  const int64_t unit = 64;  // blocks begin at multiples of 256 bytes
  int64_t share = (total + call->cpu_count - 1) / call->cpu_count;
  share = (share + unit - 1) / unit * unit;
  tiling[0] = static_cast<int32_t>(total);
  tiling[1] = static_cast<int32_t>(share);
  tiling[2] = 8192;
  plan->tiling = tiling;
  plan->tiling_bytes = sizeof tiling;
  ks_launch* launch = ks_add_launch(plan, "affine", static_cast<uint32_t>((total + share - 1) / share));
  ks_add_input(launch, 0);
  ks_add_output(launch, 0);
  ks_add_tiling(launch, 0);
  return 0;
}
)";

v1::TaskCase ExampleCase() {
  v1::TaskCase task_case;
  task_case.set_id("example");
  task_case.set_argument_count(1);
  for (v1::TensorDescriptor* tensor : {task_case.add_inputs(), task_case.add_outputs()}) {
    tensor->set_dtype(v1::FP32);
    tensor->add_shape(kElements);
  }
  task_case.mutable_inputs(0)->set_name("x");
  task_case.mutable_outputs(0)->set_name("y");
  return task_case;
}

float* Floats(absl::Span<std::byte> bytes) { return reinterpret_cast<float*>(bytes.data()); }

// Runs the example on the card. A sentence about the time it took.
absl::StatusOr<std::string> RunExample(OpenedCard& card) {
  ASSIGN_OR_RETURN(const CompileResult compiled, card.toolchain->Compile(ExampleCandidate(), CompileLimits()));
  if (compiled.outcome != CompileOutcome::kOk) {
    return absl::FailedPreconditionError(
        absl::StrCat("the example does not compile: ",
                     compiled.diagnostics.empty() ? compiled.log.substr(0, 300) : compiled.diagnostics[0].text()));
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<SlotPool> pool, SlotPool::Create(ExampleCase(), 1));
  float* const x = Floats(pool->Input(0, 0));
  for (int64_t i = 0; i < kElements; ++i) x[i] = static_cast<float>(i % 1000) / 8;
  RunSpec spec;
  spec.object = compiled;
  ExitReport exit;
  ASSIGN_OR_RETURN(const std::unique_ptr<CandidateProcess> process, card.runtime->Start(spec, &exit));
  ASSIGN_OR_RETURN(const int handle, process->AddPool(*pool));
  ASSIGN_OR_RETURN(const BatchOutcome outcome, process->RunBatch(handle, {0}, TimeLimit(absl::Seconds(60))));
  process->Quit();
  if (outcome.end != BatchEnd::kDone) return absl::FailedPreconditionError(outcome.detail);
  for (const v1::Finding& finding : outcome.findings) {
    if (finding.severity() == v1::Finding::ERROR) return absl::FailedPreconditionError(finding.text());
  }
  const float* const y = Floats(pool->Output(0, 0));
  for (int64_t i = 0; i < kElements; ++i) {
    if (y[i] == 2 * x[i] + 1) continue;
    return absl::FailedPreconditionError(
        absl::StrFormat("element %d of the example is %g instead of %g", i, y[i], 2 * x[i] + 1));
  }
  return absl::StrFormat("compiled, planned and ran a kernel: %.1f us%s", outcome.device->call_us.at(0),
                         card.state.emulated() ? " (simulated)" : "");
}

CardCheckStep Failed(const char* name, const absl::Status& status, const char* advice) {
  return {name, false, std::string(status.message()), advice};
}

}  // namespace

v1::Candidate ExampleCandidate() {
  v1::Candidate candidate;
  candidate.set_kind(v1::Candidate::ASCEND_KERNEL);
  const std::pair<const char*, const char*> files[] = {{"kernel.asc", kKernel}, {"plan.cpp", kPlan}};
  for (const auto& [name, content] : files) {
    v1::SourceFile* file = candidate.add_files();
    file->set_name(name);
    file->set_content(content);
  }
  return candidate;
}

std::vector<CardCheckStep> TryAscendCard(const config::v1::WorkerConfig& config) {
  std::vector<CardCheckStep> steps;
  const absl::StatusOr<AscendCardOptions> options = AscendOptionsFor(config);
  if (!options.ok()) {
    return {Failed("cann", options.status(),
                   "install CANN and source its set_env.sh, or name the emulated CANN with cann_root")};
  }
  steps.push_back({"cann", true, absl::StrCat("version ", options->root.version.text, " in ", options->root.path), ""});
  const absl::StatusOr<CardFacts> facts = DescribeAscendCard(*options);
  if (!facts.ok()) {
    steps.push_back(Failed("ascend card", facts.status(),
                           options->device_nodes.empty()
                               ? "there are no device nodes /dev/davinci*: install the driver and firmware; in a "
                                 "container, pass the devices in"
                               : "see whether npu-smi info shows the card, and whether this user is in the driver's "
                                 "group"));
    return steps;
  }
  steps.push_back({"ascend driver", true,
                   facts->emulated()
                       ? "none needed: the card is emulated"
                       : absl::StrCat("version ", facts->driver, ", ", absl::StrJoin(options->device_nodes, " ")),
                   ""});
  steps.push_back({"ascend card", true,
                   absl::StrFormat("%s, %d cube and %d vector cores, %d MiB, %s", facts->soc, facts->aic_cores,
                                   facts->aiv_cores, facts->memory_bytes >> 20, ToolchainLabel(options->root, *facts)),
                   ""});
  absl::StatusOr<OpenedCard> card = OpenAscendCard(config);
  const absl::StatusOr<std::string> ran = card.ok() ? RunExample(*card) : absl::StatusOr<std::string>(card.status());
  if (ran.ok()) {
    steps.push_back({"ascend kernel", true, *ran, ""});
  } else {
    steps.push_back(Failed("ascend kernel", ran.status(),
                           "the toolkit does not fit the card or the driver; install "
                           "versions that belong together"));
  }
  return steps;
}

}  // namespace kernelsmith::worker
