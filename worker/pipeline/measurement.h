// How a target's clock is read and its figures compared: the choice between interleaved and simulated measurement.
#pragma once

#include <stop_token>
#include <vector>

#include "absl/random/bit_gen_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "worker/devices/device_runtime.h"
#include "worker/timing/interleaved.h"

namespace kernelsmith::worker {

absl::StatusOr<std::vector<Samples>> Measure(const TimingPolicy& policy, absl::Span<Contestant* const> contestants,
                                             int slots, BatchHooks& hooks, const MeasureOptions& options,
                                             absl::BitGenRef random, std::stop_token stop);

v1::PairedRatio Compare(const TimingPolicy& policy, const Samples& candidate, const Samples& other);

// The samples of a contestant as a Timing; NaN, zero and negative times never get here.
v1::Timing TimingOf(const TimingPolicy& policy, const Samples& samples);

}  // namespace kernelsmith::worker
