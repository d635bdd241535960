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

// Finds out how long a call takes, and touches every slot it will be timed on: at least five calls unless one is slow.
absl::StatusOr<Lane> WarmUp(Contestant& contestant, int index, int slots, BatchHooks& hooks,
                            const MeasureOptions& options) {
  Lane lane;
  ASSIGN_OR_RETURN(const absl::Duration cold, RunOnce(contestant, index, {0}, false, hooks));
  absl::Duration call = cold;
  if (cold < kSlowCall) {
    ASSIGN_OR_RETURN(const absl::Duration warm, RunOnce(contestant, index, {0}, false, hooks));
    ASSIGN_OR_RETURN(const absl::Duration empty, contestant.RunEmpty({0}));
    call = std::max(warm - empty, absl::Nanoseconds(100));
  }
  lane.calls = CallsPerBatch(call, slots, options.batch_wall);
  const int used = std::min(slots, std::max(2 * lane.calls, call < kSlowCall ? 4 : 2));
  lane.slots.resize(static_cast<size_t>(used));
  std::iota(lane.slots.begin(), lane.slots.end(), 0);
  absl::Duration last = call;
  for (int first = 0; first < used; first += lane.calls) {
    const int count = std::min(lane.calls, used - first);
    const auto chunk = absl::MakeConstSpan(lane.slots).subspan(static_cast<size_t>(first), static_cast<size_t>(count));
    ASSIGN_OR_RETURN(const absl::Duration wall, RunOnce(contestant, index, chunk, false, hooks));
    if (count == lane.calls) last = wall / count;
  }
  lane.calls = CallsPerBatch(last, used, options.batch_wall);
  const auto batch = absl::MakeConstSpan(lane.slots).first(static_cast<size_t>(lane.calls));
  ASSIGN_OR_RETURN(lane.empty, contestant.RunEmpty(batch));
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
