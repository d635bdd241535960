#include "worker/timing/simulated.h"

#include <numeric>

#include "absl/strings/str_format.h"
#include "common/status.h"

namespace kernelsmith::worker {

absl::StatusOr<std::vector<Samples>> MeasureSimulated(absl::Span<Contestant* const> contestants, BatchHooks& hooks,
                                                      std::stop_token stop) {
  std::vector<Samples> samples(contestants.size());
  for (size_t i = 0; i < contestants.size(); ++i) {
    const int index = static_cast<int>(i);
    samples[i].calls_per_batch = 1;
    for (int slot = 0; slot < kSimulatedSlots; ++slot) {
      if (stop.stop_requested()) return absl::CancelledError("the measurement was stopped");
      RETURN_IF_ERROR(hooks.Before(index, {slot}));
      ASSIGN_OR_RETURN(const absl::Duration took, contestants[i]->Run({slot}));
      RETURN_IF_ERROR(hooks.After(index, {slot}, true));
      if (took <= absl::ZeroDuration()) {
        return absl::FailedPreconditionError(
            absl::StrFormat("a call took %.2f us on the simulated clock", absl::ToDoubleMicroseconds(took)));
      }
      const bool cold = slot == 0;
      if (!cold) samples[i].per_call_us.push_back(absl::ToDoubleMicroseconds(took));
    }
  }
  return samples;
}

v1::PairedRatio CompareSimulated(absl::Span<const double> candidate, absl::Span<const double> other) {
  const auto mean = [](absl::Span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  };
  v1::PairedRatio ratio;
  ratio.set_ratio(mean(other) / mean(candidate));
  ratio.set_low(ratio.ratio() / (1 + kSimulatedResolution));
  ratio.set_high(ratio.ratio() * (1 + kSimulatedResolution));
  ratio.set_faster(ratio.low() > 1);
  ratio.set_slower(ratio.high() < 1);
  return ratio;
}

}  // namespace kernelsmith::worker
