#include "server/proposers/catalog/ascend/transposition.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "server/proposers/catalog/ascend/layout.h"
#include "server/proposers/catalog/cpu/prelude.h"

namespace kernelsmith::server {
namespace {

constexpr char kKernel[] = R"(
using bits = @BITS@;  // elements are moved, not computed with

class Transposition {
 public:
  __aicore__ inline void Init(GM_ADDR in0, GM_ADDR out0, GM_ADDR tiling, Ring* ring) {
    const __gm__ uint32_t* words = reinterpret_cast<const __gm__ uint32_t*>(tiling);
    rows_ = words[0];
    columns_ = words[1];
    tile_rows_ = words[2];
    tile_columns_ = words[3];
    in_pitch_ = words[4];
    out_pitch_ = words[5];
    items_ = words[6];
    down_ = words[7];
    across_ = words[8];
    in0_.SetGlobalBuffer(reinterpret_cast<__gm__ bits*>(in0));
    out0_.SetGlobalBuffer(reinterpret_cast<__gm__ bits*>(out0));
    ring_ = ring;
    ring_->Init(words[9], words[10], words[11]);
@PREPARE@  }

  __aicore__ inline void Run() {
    const uint64_t blocks = GetBlockNum();
    const uint64_t block = GetBlockIdx();
    const uint32_t begin = static_cast<uint32_t>(block * items_ / blocks);
    const uint32_t end = static_cast<uint32_t>((block + 1) * items_ / blocks);
@LOOP@    ring_->Finish();
  }

 private:
  // Place of an item: a tile of m rows from `row` and n columns from `column` of matrix `matrix`.
  __aicore__ inline void Find(uint32_t item) {
    column_ = item % across_ * tile_columns_;
    row_ = item / across_ % down_ * tile_rows_;
    matrix_ = static_cast<uint64_t>(item / across_ / down_) * rows_ * columns_;
    m_ = Smaller(tile_rows_, rows_ - row_);
    n_ = Smaller(tile_columns_, columns_ - column_);
  }

  __aicore__ inline void Load(uint32_t item) {
    Find(item);
    LocalTensor<uint8_t> in = ring_->FillIn();
    CopyIn(in.ReinterpretCast<bits>(), in0_[matrix_ + static_cast<uint64_t>(row_) * columns_ + column_], m_, n_,
           columns_ - n_, in_pitch_);
    ring_->FilledIn(in);
  }

  __aicore__ inline void Turn(uint32_t item) {
    Find(item);
    LocalTensor<uint8_t> in = ring_->UseIn();
    LocalTensor<uint8_t> out = ring_->FillOut();
    const LocalTensor<bits> x = in.ReinterpretCast<bits>();
    const LocalTensor<bits> y = out.ReinterpretCast<bits>();
    for (uint32_t j = 0; j < n_; ++j) {
@ROW@    }
    ring_->UsedIn(in);
    ring_->FilledOut(out);
  }

  __aicore__ inline void Store(uint32_t item) {
    Find(item);
    LocalTensor<uint8_t> out = ring_->UseOut();
    CopyOut(out0_[matrix_ + static_cast<uint64_t>(column_) * rows_ + row_], out.ReinterpretCast<bits>(), n_, m_,
            rows_ - m_, out_pitch_);
    ring_->UsedOut(out);
  }

  uint32_t rows_, columns_, tile_rows_, tile_columns_, in_pitch_, out_pitch_, items_, down_, across_;
  uint32_t row_, column_, m_, n_;
  uint64_t matrix_;
  GlobalTensor<bits> in0_;
  GlobalTensor<bits> out0_;
  Ring* ring_;
  LocalTensor<uint32_t> places_;  // bytes from the start of a tile to the first element of each of its rows
};

}  // namespace

extern "C" __global__ __vector__ void transposition(GM_ADDR in0, GM_ADDR out0, GM_ADDR tiling) {
  Ring ring;
  Transposition kernel;
  kernel.Init(in0, out0, tiling, &ring);
  kernel.Run();
}
)";

constexpr char kPlaces[] = R"(    places_ = ring_->Work().ReinterpretCast<uint32_t>();
    for (uint32_t i = 0; i < tile_rows_; ++i) places_.SetValue(i, static_cast<uint32_t>(i * in_pitch_ * sizeof(bits)));
    Order<HardEvent::S_V>();
)";
constexpr char kGatherRow[] =
    "      Gather(y[j * out_pitch_], x, places_, static_cast<uint32_t>(j * sizeof(bits)), m_);\n";
constexpr char kScalarRow[] =
    "      for (uint32_t i = 0; i < m_; ++i) y.SetValue(j * out_pitch_ + i, x.GetValue(i * in_pitch_ + j));\n";

constexpr char kPlainLoop[] = R"(    for (uint32_t item = begin; item < end; ++item) {
      Load(item);
      Turn(item);
      Store(item);
    }
)";
constexpr char kPrefetchLoop[] = R"(    if (begin < end) Load(begin);
    for (uint32_t item = begin; item < end; ++item) {
      if (item + 1 < end) Load(item + 1);
      Turn(item);
      Store(item);
    }
)";

constexpr char kPlan[] = R"(
inline uint64_t RoundUp(uint64_t n, uint64_t unit) { return (n + unit - 1) / unit * unit; }
inline uint64_t Parts(uint64_t n, uint64_t each) { return (n + each - 1) / each; }

uint32_t tiling[16];

}  // namespace

extern "C" int ks_plan(const ks_call* call, ks_plan* plan) {
  if (call->abi_version != KS_ABI_VERSION || call->n_inputs != 1 || call->n_outputs != 1) return 1;
  const ks_tensor& x = call->inputs[0];
  const ks_tensor& y = call->outputs[0];
  if (x.rank != @RANK@ || x.dtype != @TYPE@ || y.dtype != @TYPE@ || x.elements != y.elements) return 2;
  if (!row_major(x) || !row_major(y)) return 2;
  if (x.elements == 0) return 0;
  const uint64_t matrices = uint64_t(extent(x, 0, @ROWS@));
  const uint64_t rows = uint64_t(extent(x, @ROWS@, @COLUMNS@));
  const uint64_t columns = uint64_t(extent(x, @COLUMNS@, @RANK@));
  const uint64_t cores = @CORES@;
  uint64_t tile_rows = std::min<uint64_t>(@TILE_ROWS@, rows);
  uint64_t tile_columns = std::min<uint64_t>(@TILE_COLUMNS@, columns);
  const auto in_bytes = [&] { return RoundUp(tile_rows * RoundUp(tile_columns, 16) * @BYTES@, 32); };
  const auto out_bytes = [&] { return RoundUp(tile_columns * RoundUp(tile_rows, 16) * @BYTES@, 32); };
  const auto work_bytes = [&] { return RoundUp(tile_rows * 4, 32); };
  while (kBuffers * (in_bytes() + out_bytes()) + work_bytes() > kRoom) {
    (tile_rows > tile_columns ? tile_rows : tile_columns) /= 2;
  }
  const uint64_t down = Parts(rows, tile_rows);
  const uint64_t across = Parts(columns, tile_columns);
  const uint64_t items = matrices * down * across;
  const uint64_t values[] = {rows, columns, tile_rows, tile_columns, RoundUp(tile_columns, 16), RoundUp(tile_rows, 16),
                             items, down, across, in_bytes(), out_bytes(), work_bytes()};
  uint32_t* word = tiling;
  for (uint64_t value : values) *word++ = uint32_t(value);
  ks_launch* launch = ks_add_launch(plan, "transposition", uint32_t(std::min(cores, items)));
  ks_add_input(launch, 0);
  ks_add_output(launch, 0);
  ks_add_tiling(launch, 0);
  plan->tiling = tiling;
  plan->tiling_bytes = sizeof tiling;
  return 0;
}
)";

}  // namespace

AscendSource RenderTransposition(const Problem& problem, const Parameters& schedule, Sync sync,
                                 const PlanOptions& options) {
  const bool scalar = schedule.at("engine") == "scalar";
  const std::string description = Describe(problem, schedule);
  const Transposition& t = problem.transposition;
  const int bytes = ElementBytes(t.dtype);
  AscendSource source;
  source.kernel =
      absl::StrCat(KernelHeadText(problem, description, true), RingText(sync, options.buffers), CopiesText(),
                   absl::StrReplaceAll(kKernel, {{"@BITS@", bytes == 2 ? "uint16_t" : "uint32_t"},
                                                 {"@PREPARE@", scalar ? "" : kPlaces},
                                                 {"@ROW@", scalar ? kScalarRow : kGatherRow},
                                                 {"@LOOP@", options.buffers > 1 ? kPrefetchLoop : kPlainLoop}}));
  source.plan = absl::StrCat(
      PlanHeadText(problem, description, options),
      absl::StrReplaceAll(kPlan, {{"@RANK@", absl::StrCat(t.rank)},
                                  {"@TYPE@", TypeConstant(t.dtype)},
                                  {"@ROWS@", absl::StrCat(t.rows_begin)},
                                  {"@COLUMNS@", absl::StrCat(t.columns_begin)},
                                  {"@CORES@", options.all_cores ? "std::max<uint64_t>(1, call->cpu_count)" : "1"},
                                  {"@TILE_ROWS@", schedule.at("tile_rows")},
                                  {"@TILE_COLUMNS@", schedule.at("tile_columns")},
                                  {"@BYTES@", absl::StrCat(bytes)}}));
  return source;
}

}  // namespace kernelsmith::server
