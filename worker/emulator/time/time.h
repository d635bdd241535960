// How long a launch would have taken on the card, by replay of its trace: one clock per pipe and core, ordered only by
// queues, flags, barriers, SyncAll and auto-sync; transfers share the bandwidth of memory. Pure. Simulated, never a
// measurement.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "worker/emulator/soc/soc.pb.h"
#include "worker/emulator/trace/reader.h"
#include "worker/emulator/trace/trace.h"

namespace kernelsmith::emulator {

struct CoreTime {
  uint32_t block = 0;
  uint32_t sub_block = 0;
  CoreKind kind = CoreKind::kAiv;
  double total_us = 0;
  double busy_us[kPipes] = {};  // by Pipe
  uint64_t bytes_read = 0;      // from global memory
  uint64_t bytes_written = 0;
};

struct LaunchTime {
  double total_us = 0;  // launch overhead included
  std::vector<CoreTime> cores;
};

struct TimeOptions {
  bool auto_sync = true;
};

// INVALID_ARGUMENT if the trace deadlocks or is damaged.
absl::StatusOr<LaunchTime> TimeTrace(const TraceReader& trace, const v1::Soc& soc, const TimeOptions& options);

}  // namespace kernelsmith::emulator
