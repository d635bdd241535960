#include "worker/timing/batch_plan.h"

#include <algorithm>
#include <cmath>

namespace kernelsmith::worker {

int SlotsFor(int64_t bytes_per_slot, const PoolLimits& limits) {
  const int64_t fitting = limits.bytes / std::max<int64_t>(bytes_per_slot, 1);
  return static_cast<int>(std::clamp<int64_t>(fitting, limits.min_slots, limits.slots));
}

int CallsPerBatch(absl::Duration call, int slots, absl::Duration wall) {
  if (call <= absl::ZeroDuration()) return slots;
  const double calls = std::ceil(absl::FDivDuration(wall, call));
  return static_cast<int>(std::clamp(calls, 1.0, static_cast<double>(slots)));
}

}  // namespace kernelsmith::worker
