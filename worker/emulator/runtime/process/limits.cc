#include "worker/emulator/runtime/process/limits.h"

#include <algorithm>

namespace kernelsmith::emulator {
namespace {

constexpr uint64_t kDefaultTimeoutUs = 1091ull * 1000 * 1000;  // of cards of this generation
constexpr uint64_t kSlowness = 10;
constexpr uint64_t kShortestWallMs = 30 * 1000;
constexpr uint64_t kDefaultWallMs = 600 * 1000;

}  // namespace

LaunchLimits LimitsOf(uint64_t timeout_us, const v1::Soc& soc, uint64_t wall_override_ms) {
  const double cycles_per_step = std::max(soc.scalar_cycles_per_step().value(), 1.0);
  const auto us = static_cast<double>(timeout_us == 0 ? kDefaultTimeoutUs : timeout_us);
  LaunchLimits limits;
  limits.steps = static_cast<uint64_t>(us * soc.clock_mhz().value() / cycles_per_step);
  uint64_t wall_ms = timeout_us == 0 ? kDefaultWallMs : std::max(kShortestWallMs, timeout_us / 1000 * kSlowness);
  if (wall_override_ms != 0) wall_ms = wall_override_ms;
  limits.wall = std::chrono::milliseconds(wall_ms);
  return limits;
}

}  // namespace kernelsmith::emulator
