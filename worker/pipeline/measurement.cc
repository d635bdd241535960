#include "worker/pipeline/measurement.h"

#include "worker/timing/simulated.h"
#include "worker/timing/statistics.h"

namespace kernelsmith::worker {

absl::StatusOr<std::vector<Samples>> Measure(const TimingPolicy& policy, absl::Span<Contestant* const> contestants,
                                             int slots, BatchHooks& hooks, const MeasureOptions& options,
                                             absl::BitGenRef random, std::stop_token stop) {
  if (policy.clock == v1::SIMULATED) return MeasureSimulated(contestants, hooks, stop);
  return MeasureInterleaved(contestants, slots, hooks, options, random, stop);
}

v1::PairedRatio Compare(const TimingPolicy& policy, const Samples& candidate, const Samples& other) {
  if (policy.clock == v1::SIMULATED) return CompareSimulated(candidate.per_call_us, other.per_call_us);
  return CompareInterleaved(candidate.per_call_us, other.per_call_us);
}

v1::Timing TimingOf(const TimingPolicy& policy, const Samples& samples) {
  v1::Timing timing = Summarize(samples.per_call_us, samples.calls_per_batch, samples.empty_call_us);
  timing.set_clock(policy.clock);
  timing.set_stopped_early(samples.stopped_early);
  return timing;
}

}  // namespace kernelsmith::worker
