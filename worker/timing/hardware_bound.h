// A time no kernel can honestly beat: every output byte written and every input byte read once, at a memory bandwidth
// generously above what the hardware has. A figure below it means that work was skipped or moved. Pure.
#pragma once

#include <cstdint>

#include "absl/time/time.h"
#include "kernelsmith/v1/task.pb.h"

namespace kernelsmith::worker {

// Bytes of all inputs and outputs of the case, each counted once.
int64_t BytesTouched(const v1::TaskCase& task_case);

// `bytes_per_second` for one core, for example 200e9: last-level cache of current processors, with a margin.
absl::Duration HardwareBound(int64_t bytes, int cpu_count, double bytes_per_second_and_core = 200e9);

}  // namespace kernelsmith::worker
