// What a person needs to know of a running job, folded from its events, and how it is shown. Pure: no clock, no
// terminal.
//
//   JobProgress progress(job);
//   for (event : events) { progress.Apply(event); for (line : PlainLines(event, progress)) Print(line); }
//   live line: LiveLine(progress, {.width = 120, .frame = n});
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/cli/text/supplied_items.h"
#include "kernelsmith/v1/job.pb.h"

namespace kernelsmith::client {

class JobProgress {
 public:
  // `job` as it is now; the events that follow have a greater sequence than `from_sequence`. From 0 they are the whole
  // story and the figures start empty; otherwise they start from the job's.
  explicit JobProgress(const v1::Job& job, uint64_t from_sequence = 0);
  void Apply(const v1::JobEvent& event);

  const std::string& job_id() const { return job_id_; }
  int round() const { return round_; }  // that runs or ran last; 0 before the first
  int rounds_budget() const { return rounds_budget_; }
  v1::Stage stage() const { return stage_; }
  const std::string& activity() const { return activity_; }
  int supplied() const { return static_cast<int>(supplied_.size()); }  // items that memory gave to this round
  int adopted() const { return static_cast<int>(adopted_.size()); }    // of them used by the proposer
  std::vector<std::string> SuppliedTitles() const;
  std::vector<std::string> AdoptedTitles() const;
  const std::string& thought() const { return thought_; }
  v1::EvaluationStatus last_status() const { return last_status_; }
  double last_latency_us() const { return last_latency_us_; }
  double best_us() const { return best_us_; }
  double first_correct_us() const { return first_correct_us_; }
  double speedup_vs_first() const { return best_us_ > 0 ? first_correct_us_ / best_us_ : 0; }
  double speedup_vs_baseline() const { return speedup_vs_baseline_; }  // of the best kernel
  bool ended() const { return ended_; }

 private:
  void StartRound(const v1::RoundStarted& started);
  void Supply(const v1::ContextSupplied& supplied);

  std::string job_id_;
  uint64_t snapshot_sequence_ = 0;  // the budget holds every extension up to here
  int rounds_budget_ = 0;
  int round_ = 0;
  v1::Stage stage_ = v1::DRAFTING;
  std::string activity_ = "waiting";
  std::vector<SuppliedItem> supplied_;
  std::vector<std::string> adopted_;  // item ids
  std::string thought_;
  v1::EvaluationStatus last_status_ = v1::EVALUATION_STATUS_UNSPECIFIED;
  double last_latency_us_ = 0;
  double last_speedup_ = 0;
  double best_us_ = 0;
  double first_correct_us_ = 0;
  double speedup_vs_baseline_ = 0;
  bool ended_ = false;
};

// What a log shows of an event that `progress` has just applied: one or more lines, none for events that say nothing
// new to a person.
std::vector<std::string> PlainLines(const v1::JobEvent& event, const JobProgress& progress);

// What scrolls above the live line on a terminal: less than PlainLines, one line for a finished round.
std::vector<std::string> ScrollLines(const v1::JobEvent& event, const JobProgress& progress);

struct LiveLineOptions {
  size_t width = 80;  // columns of the terminal
  int frame = 0;      // of the spinner
  double elapsed_s = 0;
};
// Spinner, bar, round, stage, activity, best so far, what memory supplied and what was adopted. Fits the width.
std::string LiveLine(const JobProgress& progress, const LiveLineOptions& options);

}  // namespace kernelsmith::client
