#include "worker/devices/cpu_card.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/file_io.h"
#include "common/status.h"
#include "worker/devices/cpu_runtime.h"
#include "worker/locks/timing_lock.h"
#include "worker/toolchains/cpu_toolchain.h"

namespace kernelsmith::worker {
namespace {

using SteadyClock = std::chrono::steady_clock;

double MicrosecondsSince(SteadyClock::time_point begin) {
  return std::chrono::duration<double, std::micro>(SteadyClock::now() - begin).count();
}

// A chain of dependent multiplications: no memory, no vector unit, nothing to optimise away.
uint64_t Spin(int64_t rounds, uint64_t x) {
  for (int64_t i = 0; i < rounds; ++i) x = x * 6364136223846793005u + 1442695040888963407u;
  return x;
}

double TimeSpin(int64_t rounds, uint64_t& sink) {
  const SteadyClock::time_point begin = SteadyClock::now();
  sink = Spin(rounds, sink);
  return MicrosecondsSince(begin);
}

// Measures the card alone on this host, as timing is done.
v1::CardState MeasureNoise(v1::CardState card, const TimingLock& lock, double limit) {
  const auto hold = lock.Acquire(LockMode::kExclusive);
  card.set_noise_floor(MeasureNoiseFloor());
  const bool noisy = card.noise_floor() > limit;
  card.set_health(noisy ? v1::NOISY : v1::HEALTHY);
  card.set_health_detail(noisy ? absl::StrCat("a fixed loop varies by ", card.noise_floor(), ", the limit is ", limit,
                                              "; stop other work on this host")
                               : "");
  return card;
}

}  // namespace

absl::StatusOr<OpenedCard> OpenCpuCard(const config::v1::WorkerConfig& config) {
  OpenedCard card;
  ASSIGN_OR_RETURN(card.toolchain, MakeCpuToolchain({.cache_dir = config.data_dir() + "/compiled",
                                                     .cache_bytes = config.compile_cache_bytes()}));
  ASSIGN_OR_RETURN(const CpuCard cpu, DescribeCpuCard(card.toolchain->version()));
  card.runtime = MakeCpuRuntime(cpu.cpu_count, "");
  card.host_threads = cpu.cpu_count;
  *card.state.mutable_target() = cpu.target;
  card.state.set_memory_bytes(cpu.memory_bytes);
  card.check = [lock = TimingLock(config.lock_dir()), limit = config.noise_limit()](v1::CardState state) {
    return MeasureNoise(std::move(state), lock, limit);
  };
  card.state = card.check(std::move(card.state));
  return card;
}

std::vector<CardCheckStep> TryCpuCard(const config::v1::WorkerConfig& config) {
  const absl::StatusOr<OpenedCard> card = OpenCpuCard(config);
  if (!card.ok()) return {{"cpu card", false, std::string(card.status().message()), "install it: apt install g++"}};
  return {{"cpu card", true, absl::StrCat(card->state.target().soc(), ", ", card->state.target().toolchain()), ""}};
}

std::string CpuModelOf(absl::string_view cpuinfo) {
  for (const absl::string_view key : {"model name", "Hardware", "CPU part"}) {
    for (const absl::string_view line : absl::StrSplit(cpuinfo, '\n')) {
      const std::vector<absl::string_view> parts = absl::StrSplit(line, absl::MaxSplits(':', 1));
      if (parts.size() == 2 && absl::StripAsciiWhitespace(parts[0]) == key) {
        return std::string(absl::StripAsciiWhitespace(parts[1]));
      }
    }
  }
  return "unknown";
}

absl::StatusOr<CpuCard> DescribeCpuCard(const std::string& toolchain) {
  ASSIGN_OR_RETURN(const std::string cpuinfo, common::ReadFile("/proc/cpuinfo"));
  utsname name = {};
  if (::uname(&name) != 0) return common::ErrnoStatus(errno, "cannot ask for the kernel's version");
  CpuCard card;
  card.target.set_architecture(absl::StrCat("cpu-", name.machine));
  card.target.set_soc(CpuModelOf(cpuinfo));
  card.target.set_toolchain(toolchain);
  card.target.set_driver(absl::StrCat(absl::AsciiStrToLower(name.sysname), " ", name.release));
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) card.cpu_count = std::max(1, CPU_COUNT(&allowed));
  card.memory_bytes = int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
  return card;
}

double MeasureNoiseFloor(int samples, double loop_us) {
  uint64_t sink = 1;
  // How many rounds the loop takes, from the fastest of a few trials.
  constexpr int64_t kTrial = 200000;
  double fastest = TimeSpin(kTrial, sink);
  for (int i = 0; i < 5; ++i) fastest = std::min(fastest, TimeSpin(kTrial, sink));
  const auto rounds = std::max<int64_t>(1, static_cast<int64_t>(kTrial * loop_us / std::max(fastest, 1e-3)));
  std::vector<double> times;
  for (int i = 0; i < std::max(1, samples); ++i) times.push_back(TimeSpin(rounds, sink));
  std::sort(times.begin(), times.end());
  const auto quantile = [&times](double q) {
    return times[static_cast<size_t>(q * static_cast<double>(times.size() - 1))];
  };
  volatile uint64_t keep = sink;
  (void)keep;
  return (quantile(0.9) - quantile(0.1)) / std::max(quantile(0.5), 1e-9);
}

}  // namespace kernelsmith::worker
