// How long a kernel may take, in steps of its own code and in real time. Pure.
#pragma once

#include <chrono>
#include <cstdint>

#include "worker/emulator/soc/soc.pb.h"

namespace kernelsmith::emulator {

struct LaunchLimits {
  uint64_t steps = 0;  // basic blocks per core
  std::chrono::milliseconds wall{0};
};

// `timeout_us` as aclrtSetOpExecuteTimeOut set it, 0 if the program did not. Steps are what the scalar unit of a card
// runs in that time. Real time is ten times as much, for an emulated card is slower than a card, and half a minute at
// least; ten minutes if the program set none. `wall_override_ms` (KERNELSMITH_EMULATED_WALL_LIMIT_MS) replaces it
// unless 0.
LaunchLimits LimitsOf(uint64_t timeout_us, const v1::Soc& soc, uint64_t wall_override_ms);

}  // namespace kernelsmith::emulator
