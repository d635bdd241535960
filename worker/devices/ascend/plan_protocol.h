// What passes between the worker and kernelsmith-plan: two blocks of shared memory and no conversation. Shared by both
// sides.
#pragma once

#include <cstdint>

#include "worker/include/kernelsmith/plan_abi.h"

namespace kernelsmith::worker::plan {

inline constexpr int kRequest = 3;  // descriptor inside the jail: runner::MapRequest and what follows it
inline constexpr int kAnswer = 4;   // descriptor inside the jail: Answer, writable

enum class State : uint32_t { kNone = 0, kRefused = 1, kReturned = 2, kException = 3 };

struct Answer {
  State state = State::kNone;
  int32_t code = 0;     // what ks_plan returned
  char text[512] = {};  // with kRefused, kException
  uint64_t tiling_copied = 0;
  ks_plan plan = {};
  uint8_t tiling[KS_PLAN_MAX_TILING_BYTES] = {};
};

}  // namespace kernelsmith::worker::plan
