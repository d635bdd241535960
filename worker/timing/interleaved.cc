#include "worker/timing/interleaved.h"

#include <algorithm>
#include <numeric>

#include "absl/random/random.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "common/status.h"
#include "worker/timing/batch_plan.h"
#include "worker/timing/statistics.h"

namespace kernelsmith::worker {
namespace {

constexpr int kMinRounds = 3;
constexpr int kPlanningAttempts = 4;
constexpr absl::Duration kSlowCall = absl::Milliseconds(500);  // warmed on two slots instead of four

struct Lane {
  std::vector<int> slots;  // warmed
  int calls = 1;
  absl::Duration empty;  // of a batch
};

absl::StatusOr<absl::Duration> RunOnce(Contestant& contestant, int index, absl::Span<const int> slots, bool timed,
                                       BatchHooks& hooks) {
  RETURN_IF_ERROR(hooks.Before(index, slots));
  ASSIGN_OR_RETURN(const absl::Duration wall, contestant.Run(slots));
  RETURN_IF_ERROR(hooks.After(index, slots, timed));
  return wall;
}

// Runs slots [first, last) in chunks and returns the shortest wall per call.
absl::StatusOr<absl::Duration> RunChunks(Contestant& contestant, int index, absl::Span<const int> slots, int chunk,
                                         BatchHooks& hooks) {
  absl::Duration best = absl::InfiniteDuration();
  while (!slots.empty()) {
    const auto part = slots.first(std::min(slots.size(), static_cast<size_t>(chunk)));
    ASSIGN_OR_RETURN(const absl::Duration wall, RunOnce(contestant, index, part, false, hooks));
    best = std::min(best, wall / static_cast<int64_t>(part.size()));
    slots.remove_prefix(part.size());
  }
  return best;
}

// Finds out how many calls fill a batch, and touches every slot that will be timed. Estimates are walls per call, so
// they fall as batches grow; a noisy moment is outgrown by the shortest of several.
absl::StatusOr<Lane> WarmUp(Contestant& contestant, int index, int slots, BatchHooks& hooks,
                            const MeasureOptions& options) {
  Lane lane;
  std::vector<int> all(static_cast<size_t>(slots));
  std::iota(all.begin(), all.end(), 0);
  const auto range = [&all](int first, int last) {
    return absl::MakeConstSpan(all).subspan(static_cast<size_t>(first), static_cast<size_t>(last - first));
  };
  ASSIGN_OR_RETURN(absl::Duration call, RunOnce(contestant, index, {0}, false, hooks));
  int warm = 1;
  for (int attempt = 0; attempt < kPlanningAttempts; ++attempt) {
    if (call < kSlowCall) {
      ASSIGN_OR_RETURN(const absl::Duration again,
                       RunChunks(contestant, index, range(0, std::min(warm, 4)), lane.calls, hooks));
      call = std::min(call, again);
    }
    lane.calls = CallsPerBatch(call, slots, options.batch_wall);
    const int used = std::min(slots, std::max(2 * lane.calls, call < kSlowCall ? 4 : 2));
    if (used <= warm) break;
    ASSIGN_OR_RETURN(const absl::Duration fresh, RunChunks(contestant, index, range(warm, used), lane.calls, hooks));
    call = std::min(call, fresh);
    warm = used;
  }
  lane.calls = CallsPerBatch(call, warm, options.batch_wall);
  lane.slots.assign(all.begin(), all.begin() + warm);
  ASSIGN_OR_RETURN(lane.empty, contestant.RunEmpty(range(0, lane.calls)));
  return lane;
}

}  // namespace

absl::StatusOr<std::vector<Samples>> MeasureInterleaved(absl::Span<Contestant* const> contestants, int slots,
                                                        BatchHooks& hooks, const MeasureOptions& options,
                                                        absl::BitGenRef random, std::stop_token stop) {
  std::vector<Lane> lanes;
  std::vector<Samples> samples(contestants.size());
  for (size_t i = 0; i < contestants.size(); ++i) {
    if (stop.stop_requested()) return absl::CancelledError("the measurement was stopped");
    ASSIGN_OR_RETURN(Lane lane, WarmUp(*contestants[i], static_cast<int>(i), slots, hooks, options));
    samples[i].calls_per_batch = lane.calls;
    samples[i].empty_call_us = absl::ToDoubleMicroseconds(lane.empty) / lane.calls;
    lanes.push_back(std::move(lane));
  }
  std::vector<size_t> order(contestants.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const absl::Time end = absl::Now() + options.time_cap;
  for (int round = 0; round < options.max_samples; ++round) {
    if (round >= kMinRounds && absl::Now() > end) break;
    std::shuffle(order.begin(), order.end(), random);
    for (const size_t i : order) {
      if (stop.stop_requested()) return absl::CancelledError("the measurement was stopped");
      Lane& lane = lanes[i];
      std::shuffle(lane.slots.begin(), lane.slots.end(), random);
      const auto batch = absl::MakeConstSpan(lane.slots).first(static_cast<size_t>(lane.calls));
      ASSIGN_OR_RETURN(const absl::Duration wall, RunOnce(*contestants[i], static_cast<int>(i), batch, true, hooks));
      const absl::Duration net = wall - lane.empty;
      if (net <= absl::ZeroDuration()) {
        return absl::FailedPreconditionError(
            absl::StrFormat("a batch of %d calls took %.2f us, no longer than as many empty calls (%.2f us)",
                            lane.calls, absl::ToDoubleMicroseconds(wall), absl::ToDoubleMicroseconds(lane.empty)));
      }
      samples[i].per_call_us.push_back(absl::ToDoubleMicroseconds(net) / lane.calls);
    }
    const bool precise = std::all_of(samples.begin(), samples.end(), [&](const Samples& s) {
      return PreciseEnough(s.per_call_us, options.early_stop_relative);
    });
    if (round + 1 >= kMinRounds && precise) {
      for (Samples& s : samples) s.stopped_early = round + 1 < options.max_samples;
      break;
    }
  }
  return samples;
}

}  // namespace kernelsmith::worker
