#include "worker/emulator/time/time.h"

#include "worker/emulator/time/replay.h"

namespace kernelsmith::emulator {

absl::StatusOr<LaunchTime> TimeTrace(const TraceReader& trace, const v1::Soc& soc, const TimeOptions& options) {
  return Replay(trace, soc, options).Run();
}

}  // namespace kernelsmith::emulator
