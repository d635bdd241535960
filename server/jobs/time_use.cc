#include "server/jobs/time_use.h"

#include <algorithm>
#include <map>
#include <string>

namespace kernelsmith::server {
namespace {

constexpr double kMicrosPerSecond = 1e6;
constexpr char kProposer[] = "proposer";

// Sorted and disjoint.
std::vector<Interval> Merge(std::vector<Interval> intervals) {
  std::erase_if(intervals, [](const Interval& i) { return i.end_us <= i.begin_us; });
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.begin_us < b.begin_us; });
  std::vector<Interval> merged;
  for (const Interval& interval : intervals) {
    if (!merged.empty() && interval.begin_us <= merged.back().end_us) {
      merged.back().end_us = std::max(merged.back().end_us, interval.end_us);
    } else {
      merged.push_back(interval);
    }
  }
  return merged;
}

double Length(const std::vector<Interval>& merged) {
  int64_t total = 0;
  for (const Interval& interval : merged) total += interval.end_us - interval.begin_us;
  return static_cast<double>(total) / kMicrosPerSecond;
}

using IntervalsByKind = std::map<std::string, std::vector<Interval>>;

void AddPhases(const google::protobuf::RepeatedPtrField<v1::PhaseInterval>& phases, IntervalsByKind& by_kind) {
  for (const auto& phase : phases) by_kind[phase.kind()].push_back({phase.begin_unix_us(), phase.end_unix_us()});
}

}  // namespace

double UnionSeconds(std::vector<Interval> intervals) { return Length(Merge(std::move(intervals))); }

double UnionSecondsWithin(const std::vector<Interval>& intervals, const std::vector<Interval>& windows) {
  const std::vector<Interval> outer = Merge(windows);
  std::vector<Interval> clipped;
  for (const Interval& interval : Merge(intervals)) {
    for (const Interval& window : outer) {
      clipped.push_back({std::max(interval.begin_us, window.begin_us), std::min(interval.end_us, window.end_us)});
    }
  }
  return UnionSeconds(std::move(clipped));
}

v1::TimeUse AccountTime(const std::vector<v1::JobEvent>& events, int64_t ended_us) {
  IntervalsByKind by_kind;
  std::vector<Interval> windows;
  bool running = false;
  for (const auto& event : events) {
    switch (event.event_case()) {
      case v1::JobEvent::kRoundStarted:
        if (windows.empty()) {
          windows.push_back({event.at_unix_us(), ended_us});
          running = true;
        }
        break;
      case v1::JobEvent::kBudgetExtended:
      case v1::JobEvent::kEvaluationReplayed:
        if (!running && !windows.empty()) {
          windows.push_back({event.at_unix_us(), ended_us});
          running = true;
        }
        break;
      case v1::JobEvent::kJobEnded:
        if (running) windows.back().end_us = event.at_unix_us();
        running = false;
        break;
      case v1::JobEvent::kTaskResolved:
        AddPhases(event.task_resolved().phases(), by_kind);
        break;
      case v1::JobEvent::kEvaluationEnded:
        AddPhases(event.evaluation_ended().phases(), by_kind);
        break;
      case v1::JobEvent::kProposed:
        by_kind[kProposer].push_back({event.proposed().begin_unix_us(), event.proposed().end_unix_us()});
        break;
      case v1::JobEvent::kModelCallEnded:
        by_kind[kProposer].push_back(
            {event.model_call_ended().begin_unix_us(), event.model_call_ended().end_unix_us()});
        break;
      default:
        break;
    }
  }

  const auto seconds = [&](std::initializer_list<const char*> kinds) {
    std::vector<Interval> all;
    for (const char* kind : kinds) {
      const auto found = by_kind.find(kind);
      if (found != by_kind.end()) all.insert(all.end(), found->second.begin(), found->second.end());
    }
    return UnionSecondsWithin(all, windows);
  };
  std::vector<Interval> everything;
  for (const auto& [kind, intervals] : by_kind) everything.insert(everything.end(), intervals.begin(), intervals.end());

  v1::TimeUse use;
  use.set_wall_s(UnionSeconds(windows));
  use.set_proposer_s(seconds({kProposer}));
  use.set_compile_s(seconds({"compile", "screen"}));
  use.set_reference_s(seconds({"reference"}));
  use.set_verify_s(seconds({"verify"}));
  use.set_timing_s(seconds({"time"}));
  use.set_lock_wait_s(seconds({"wait_lock", "wait_card"}));
  use.set_covered_s(UnionSecondsWithin(everything, windows));
  if (use.wall_s() > 0) use.set_overhead_ratio((use.wall_s() - use.covered_s()) / use.wall_s());
  return use;
}

}  // namespace kernelsmith::server
