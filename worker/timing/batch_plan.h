// How many slots a case gets and how many calls a timed batch has. Pure.
//
// A batch must last long enough for the clock and the wake-up of a process not to matter (20 ms), every call of a batch
// has a slot of its own (fresh content, fresh addresses), and all slots together fit in 128 MiB.
#pragma once

#include <cstdint>

#include "absl/time/time.h"

namespace kernelsmith::worker {

struct PoolLimits {
  int64_t bytes = int64_t{128} << 20;
  int slots = 1024;
  int min_slots = 2;
};

// Slots for inputs and outputs of `bytes_per_slot`; a slot larger than the limit still gets min_slots.
int SlotsFor(int64_t bytes_per_slot, const PoolLimits& limits = {});

// Calls of one batch of a kernel that takes `call`: as many as fill `wall`, at least 1, at most `slots`.
int CallsPerBatch(absl::Duration call, int slots, absl::Duration wall = absl::Milliseconds(20));

}  // namespace kernelsmith::worker
