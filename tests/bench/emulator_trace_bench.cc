// Records a second through the reader, the analysis and the replay of the emulated CANN.
#include <benchmark/benchmark.h>

#include "tests/worker/emulator/time/kernels.h"
#include "worker/emulator/check/check.h"
#include "worker/emulator/soc/soc.h"
#include "worker/emulator/time/time.h"

namespace kernelsmith::emulator {
namespace {

const v1::Soc& TheSoc() {
  static const v1::Soc soc = LoadSoc(KERNELSMITH_SOURCE_DIR "/worker/emulator/soc/data/Ascend910B1.textproto").value();
  return soc;
}

// An addition on 48 cores with double buffering, about 1.1 million records.
absl::Span<const std::byte> Block() {
  static TraceBuilder* const trace = [] {
    auto* t = new TraceBuilder(48);
    AddHalf(*t, 48, 80000, 2048, 2);
    return t;
  }();
  static const absl::Span<const std::byte> block = trace->Finish();
  return block;
}

void BM_Open(benchmark::State& state) {
  const absl::Span<const std::byte> block = Block();
  int64_t records = 0;
  for (auto _ : state) records += static_cast<int64_t>(TraceReader::Open(block)->records());
  state.SetItemsProcessed(records);
}
BENCHMARK(BM_Open)->Unit(benchmark::kMillisecond);

void BM_Check(benchmark::State& state) {
  const auto trace = TraceReader::Open(Block());
  for (auto _ : state) benchmark::DoNotOptimize(CheckTrace(*trace, TheSoc(), {}));
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(trace->records()));
}
BENCHMARK(BM_Check)->Unit(benchmark::kMillisecond);

void BM_Time(benchmark::State& state) {
  const auto trace = TraceReader::Open(Block());
  for (auto _ : state) benchmark::DoNotOptimize(TimeTrace(*trace, TheSoc(), {}));
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(trace->records()));
}
BENCHMARK(BM_Time)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kernelsmith::emulator
