// What a launch costs on this machine: loading, running and recording, without analysis.

#include <benchmark/benchmark.h>

#include "tests/worker/emulator/device/kernel_run.h"

namespace kernelsmith::emulator {
namespace {

void TiledAdd(benchmark::State& state) {
  const auto n = static_cast<uint32_t>(state.range(0));
  for (auto step : state) {
    state.PauseTiming();
    KernelRun run("stream.asc");
    auto* x = run.Allocate<uint16_t>(n);
    auto* y = run.Allocate<uint16_t>(n);
    auto* z = run.Allocate<uint16_t>(n);
    for (uint32_t i = 0; i < n; ++i) x[i] = y[i] = 0x3c00;
    run.Pass(x).Pass(y).Pass(z).Pass(n);
    state.ResumeTiming();
    run.Launch("TiledAdd", 32);
    if (run.end() != LaunchEnd::kDone || z[n - 1] != 0x4000) state.SkipWithError("wrong result");
  }
}
BENCHMARK(TiledAdd)->Arg(1 << 20)->Arg(16 << 20)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kernelsmith::emulator
