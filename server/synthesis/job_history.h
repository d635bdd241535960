// What the round loop knows of a job: a fold of its event log with the detail that the projection (v1::Job) leaves out.
// Every decision of the loop is a function of this, so a coordinator that starts again decides as the one before it
// would have.
//
//   JobHistory history;
//   for (const v1::JobEvent& event : events) RETURN_IF_ERROR(Fold(event, history));
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "kernelsmith/v1/job.pb.h"

namespace kernelsmith::server {

// One round as far as it has come.
struct RoundState {
  v1::RoundStarted started;
  std::optional<v1::ContextSupplied> context;
  std::optional<v1::Proposed> proposed;
  std::string assignment_id;  // once the evaluation is queued
  uint64_t lease_epoch = 0;   // last lease that was logged
  std::optional<v1::EvaluationEnded> evaluated;
  int64_t evaluated_unix_us = 0;
  std::optional<v1::RoundRecorded> recorded;

  int number() const { return started.round(); }
  bool has_candidate() const { return proposed && proposed->has_candidate(); }
  // The attempt is in memory, so another one may name it as its predecessor.
  bool is_evidence() const { return recorded && !recorded->case_item_id().empty(); }
};

struct JobHistory {
  std::string job_id;
  std::string team;
  int64_t submitted_unix_us = 0;
  uint64_t last_sequence = 0;

  v1::JobSpec spec;
  v1::Budget budget;                 // of the spec, and what was added later
  std::optional<v1::TaskSpec> task;  // once resolved
  std::vector<RoundState> rounds;    // round n is rounds[n - 1]; only the last may be open
  int abandoned_rounds = 0;          // rounds that were open when the job ended; they start anew if it is extended
  std::vector<v1::StageCompleted> stages;  // in order
  std::optional<v1::JobEnded> ended;
  std::set<std::string> replayed_letters;  // dead letters after which the job was taken up again
  int replays = 0;
  int replayed_round = 0;     // taken up again last; 0 if none
  std::string inspection_id;  // of an inspection that was taken up again; empty for the first one

  int incumbent_round = 0;      // 0 if none
  int first_correct_round = 0;  // 0 if none
  int last_gain_round = 0;      // round of the last new incumbent, or the rounds recorded at the last extension
  int extensions = 0;           // of the budget
  bool goal_waived = false;     // the goal was met when the job was extended, so it no longer ends it
  int drafting_scored_to = 0;   // rounds up to this one are part of a completed DRAFTING stage
  int refining_scored_to = 0;

  int64_t tokens_used = 0;
  double money_used = 0;
  double money_in_flight = 0;        // reserved by the call whose reply is missing
  int64_t active_before_us = 0;      // wall time of earlier runs of the job
  int64_t active_since_unix_us = 0;  // 0 before the first round and after the end

  const RoundState* open_round() const;
  // nullptr if there is no such round.
  const RoundState* round(int number) const;
  int rounds_recorded() const;
  // Latency of the first correct and of the best attempt in microseconds; 0 if none or not timed.
  double first_correct_us() const;
  double best_us() const;
  double baseline_us() const;
  double speedup_vs_baseline() const;  // of the incumbent; 0 if unknown
};

// INTERNAL if the event cannot follow; the log is damaged then.
absl::Status Fold(const v1::JobEvent& event, JobHistory& history);

// True once the incumbent is as fast as the goal asks.
bool GoalMet(const v1::Goal& goal, const JobHistory& history);

}  // namespace kernelsmith::server
