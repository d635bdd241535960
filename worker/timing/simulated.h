// Measures kernels on a clock that is computed, not read: equal work gives equal times, so one cold and two warm calls
// tell all, and nothing needs to be interleaved.
#pragma once

#include <stop_token>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "kernelsmith/v1/evaluation.pb.h"
#include "worker/timing/interleaved.h"

namespace kernelsmith::worker {

inline constexpr int kSimulatedSlots = 3;              // a slot for each call
inline constexpr double kSimulatedResolution = 0.005;  // relative: a smaller difference is none

// One sample for each warm call. Hooks see all three calls as timed. Errors as for MeasureInterleaved. REQUIRES: the
// pool has kSimulatedSlots slots.
absl::StatusOr<std::vector<Samples>> MeasureSimulated(absl::Span<Contestant* const> contestants, BatchHooks& hooks,
                                                      std::stop_token stop = {});

// Ratio of the means, as wide as the resolution. REQUIRES: not empty, all values positive.
v1::PairedRatio CompareSimulated(absl::Span<const double> candidate, absl::Span<const double> other);

}  // namespace kernelsmith::worker
