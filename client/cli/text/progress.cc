#include "client/cli/text/progress.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace kernelsmith::client {

JobProgress::JobProgress(const v1::Job& job, uint64_t from_sequence)
    : job_id_(job.id()),
      snapshot_sequence_(job.last_sequence()),
      rounds_budget_(job.rounds_budget()),
      stage_(job.stage()) {
  if (from_sequence == 0) return;
  round_ = job.rounds_done();
  best_us_ = job.best_us();
  first_correct_us_ = job.first_correct_us();
  speedup_vs_baseline_ = job.speedup_vs_baseline();
}

void JobProgress::StartRound(const v1::RoundStarted& started) {
  round_ = started.round();
  stage_ = started.stage();
  activity_ = "retrieving experience";
  supplied_.clear();
  adopted_.clear();
  thought_.clear();
}

void JobProgress::Supply(const v1::ContextSupplied& supplied) {
  supplied_ = SuppliedItems(supplied);
  activity_ = "proposing";
}

void JobProgress::Apply(const v1::JobEvent& event) {
  switch (event.event_case()) {
    case v1::JobEvent::kSubmitted:
      activity_ = "resolving the task";
      break;
    case v1::JobEvent::kTaskResolved:
      activity_ = "queued";
      break;
    case v1::JobEvent::kRoundStarted:
      StartRound(event.round_started());
      ended_ = false;
      break;
    case v1::JobEvent::kContextAssembled:
      Supply(event.context_assembled().supplied());
      break;
    case v1::JobEvent::kModelCallIntended:
      activity_ = "waiting for the model";
      break;
    case v1::JobEvent::kProposed:
      for (const v1::AdoptionRecord& record : event.proposed().proposal().adoption()) {
        if (record.state() == v1::ADOPTED) adopted_.push_back(record.item_id());
      }
      thought_ = event.proposed().proposal().thought().title();
      if (thought_.empty()) thought_ = event.proposed().proposal().thought().id();
      activity_ = "proposed";
      break;
    case v1::JobEvent::kEvaluationQueued:
      activity_ = "waiting for a card";
      break;
    case v1::JobEvent::kEvaluationLeased:
      activity_ = absl::StrCat("evaluating on ", event.evaluation_leased().worker_id());
      break;
    case v1::JobEvent::kEvaluationRetried:
      activity_ = absl::StrCat("evaluating again: ", event.evaluation_retried().reason());
      break;
    case v1::JobEvent::kEvaluationEnded:
      last_status_ = event.evaluation_ended().status();
      last_latency_us_ = event.evaluation_ended().latency_us();
      last_speedup_ = event.evaluation_ended().speedup_vs_baseline();
      activity_ = "recording";
      break;
    case v1::JobEvent::kRoundRecorded:
      last_status_ = event.round_recorded().status();
      last_latency_us_ = event.round_recorded().latency_us();
      best_us_ = event.round_recorded().best_us();
      if (last_status_ == v1::PASSED && first_correct_us_ == 0) first_correct_us_ = last_latency_us_;
      if (event.round_recorded().became_incumbent()) speedup_vs_baseline_ = last_speedup_;
      activity_ = "between rounds";
      break;
    case v1::JobEvent::kBudgetExtended:
      if (event.sequence() > snapshot_sequence_) rounds_budget_ += event.budget_extended().extra().rounds();
      break;
    case v1::JobEvent::kEvaluationReplayed:
      if (event.evaluation_replayed().round() > 0) round_ = event.evaluation_replayed().round();
      activity_ = "taken up again";
      ended_ = false;
      break;
    case v1::JobEvent::kJobEnded:
      activity_ = "ended";
      ended_ = true;
      break;
    case v1::JobEvent::kProgress:
      activity_ = event.progress().activity();
      break;
    default:
      break;
  }
}

std::vector<std::string> JobProgress::SuppliedTitles() const {
  std::vector<std::string> result;
  for (const SuppliedItem& item : supplied_) result.push_back(item.title);
  return result;
}

std::vector<std::string> JobProgress::AdoptedTitles() const {
  std::vector<std::string> result;
  for (const SuppliedItem& item : supplied_) {
    if (std::find(adopted_.begin(), adopted_.end(), item.id) != adopted_.end()) result.push_back(item.title);
  }
  return result;
}

}  // namespace kernelsmith::client
