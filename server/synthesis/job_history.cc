#include "server/synthesis/job_history.h"

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace kernelsmith::server {
namespace {

absl::Status CannotFollow(const v1::JobEvent& event, absl::string_view why) {
  return absl::InternalError(
      absl::StrCat("event ", event.sequence(), " of job ", event.job_id(), " cannot follow the ones before it: ", why));
}

void AddBudget(const v1::Budget& extra, v1::Budget& budget) {
  budget.set_rounds(budget.rounds() + extra.rounds());
  // A budget of 0 has no limit, and more of no limit has none either.
  if (budget.tokens() > 0) budget.set_tokens(budget.tokens() + extra.tokens());
  if (budget.money() > 0) budget.set_money(budget.money() + extra.money());
  if (budget.wall_s() > 0) budget.set_wall_s(budget.wall_s() + extra.wall_s());
}

void FoldStageCompleted(const v1::StageCompleted& stage, JobHistory& history) {
  history.stages.push_back(stage);
  int& scored_to = stage.stage() == v1::DRAFTING ? history.drafting_scored_to : history.refining_scored_to;
  scored_to = history.rounds_recorded();
}

void FoldExtension(const v1::JobEvent& event, JobHistory& history) {
  AddBudget(event.budget_extended().extra(), history.budget);
  ++history.extensions;
  history.last_gain_round = history.rounds_recorded();
  history.goal_waived = GoalMet(history.spec.goal(), history);
  if (!history.ended) return;
  history.ended.reset();
  if (!history.rounds.empty()) history.active_since_unix_us = event.at_unix_us();
}

void FoldEnd(const v1::JobEvent& event, JobHistory& history) {
  history.ended = event.job_ended();
  if (history.open_round() != nullptr) {
    history.rounds.pop_back();
    ++history.abandoned_rounds;
  }
  if (history.active_since_unix_us > 0) {
    history.active_before_us += event.at_unix_us() - history.active_since_unix_us;
  }
  history.active_since_unix_us = 0;
}

absl::Status FoldReplay(const v1::JobEvent& event, JobHistory& history) {
  const v1::EvaluationReplayed& replayed = event.evaluation_replayed();
  if (!history.ended || history.ended->state() != v1::FAILED) return CannotFollow(event, "the job has not failed");
  if (replayed.round() == 0) {
    if (history.task) return CannotFollow(event, "the task is resolved");
    history.inspection_id = replayed.assignment_id();
  } else {
    if (history.rounds.empty() || history.rounds.back().number() != replayed.round() ||
        history.incumbent_round == replayed.round()) {
      return CannotFollow(event, "it is not the last round that was lost");
    }
    RoundState& round = history.rounds.back();
    round.evaluated.reset();
    round.evaluated_unix_us = 0;
    round.recorded.reset();
    round.assignment_id = replayed.assignment_id();
    round.lease_epoch = 0;
    history.replayed_round = replayed.round();
    history.active_since_unix_us = event.at_unix_us();
  }
  history.ended.reset();
  history.replayed_letters.insert(replayed.letter_id());
  ++history.replays;
  return absl::OkStatus();
}

absl::Status FoldRound(const v1::JobEvent& event, JobHistory& history) {
  if (event.has_round_started()) {
    if (history.open_round() != nullptr) return CannotFollow(event, "the round before is still open");
    if (event.round_started().round() != static_cast<int>(history.rounds.size()) + 1) {
      return CannotFollow(event,
                          absl::StrCat("round ", event.round_started().round(), " after ", history.rounds.size()));
    }
    history.rounds.emplace_back().started = event.round_started();
    if (history.active_since_unix_us == 0) history.active_since_unix_us = event.at_unix_us();
    return absl::OkStatus();
  }
  // Leases and retries of the inspection that resolves the task come before any round.
  if (event.has_evaluation_retried() || (event.has_evaluation_leased() && history.rounds.empty()))
    return absl::OkStatus();
  if (history.open_round() == nullptr) return CannotFollow(event, "no round is open");
  RoundState& open = history.rounds.back();
  switch (event.event_case()) {
    case v1::JobEvent::kContextAssembled:
      open.context = event.context_assembled().supplied();
      break;
    case v1::JobEvent::kModelCallIntended:
      // A call in doubt may have been charged, so what was reserved for it counts as spent.
      if (event.model_call_intended().repeats_in_doubt()) history.money_used += history.money_in_flight;
      history.money_in_flight = event.model_call_intended().reserved_money();
      break;
    case v1::JobEvent::kModelCallEnded:
      history.money_in_flight = 0;
      history.money_used += event.model_call_ended().money();
      history.tokens_used += event.model_call_ended().prompt_tokens() + event.model_call_ended().completion_tokens();
      break;
    case v1::JobEvent::kProposed:
      open.proposed = event.proposed();
      break;
    case v1::JobEvent::kEvaluationQueued:
      open.assignment_id = event.evaluation_queued().assignment_id();
      break;
    case v1::JobEvent::kEvaluationLeased:
      open.lease_epoch = event.evaluation_leased().lease_epoch();
      break;
    case v1::JobEvent::kEvaluationEnded:
      open.evaluated = event.evaluation_ended();
      open.evaluated_unix_us = event.at_unix_us();
      break;
    case v1::JobEvent::kRoundRecorded:
      open.recorded = event.round_recorded();
      if (open.recorded->became_incumbent()) {
        history.incumbent_round = history.last_gain_round = open.number();
        if (history.first_correct_round == 0) history.first_correct_round = open.number();
      }
      break;
    default:
      return CannotFollow(event, "it is of no known kind");
  }
  return absl::OkStatus();
}

}  // namespace

const RoundState* JobHistory::open_round() const {
  return rounds.empty() || rounds.back().recorded ? nullptr : &rounds.back();
}

const RoundState* JobHistory::round(int number) const {
  return number < 1 || number > static_cast<int>(rounds.size()) ? nullptr : &rounds[number - 1];
}

int JobHistory::rounds_recorded() const { return static_cast<int>(rounds.size()) - (open_round() == nullptr ? 0 : 1); }

double JobHistory::first_correct_us() const {
  const RoundState* first = round(first_correct_round);
  return first == nullptr ? 0 : first->recorded->latency_us();
}

double JobHistory::best_us() const {
  const RoundState* best = round(incumbent_round);
  return best == nullptr ? 0 : best->recorded->latency_us();
}

double JobHistory::baseline_us() const {
  const RoundState* best = round(incumbent_round);
  return best == nullptr || !best->evaluated ? 0 : best->evaluated->baseline_us();
}

double JobHistory::speedup_vs_baseline() const {
  const RoundState* best = round(incumbent_round);
  return best == nullptr || !best->evaluated ? 0 : best->evaluated->speedup_vs_baseline();
}

absl::Status Fold(const v1::JobEvent& event, JobHistory& history) {
  if (event.sequence() != history.last_sequence + 1) {
    return CannotFollow(event, absl::StrCat("the last one was ", history.last_sequence));
  }
  if (history.ended && !event.has_budget_extended() && !event.has_evaluation_replayed())
    return CannotFollow(event, "the job has ended");
  switch (event.event_case()) {
    case v1::JobEvent::kSubmitted:
      history.job_id = event.job_id();
      history.team = event.submitted().team();
      history.spec = event.submitted().spec();
      history.budget = history.spec.budget();
      history.submitted_unix_us = event.at_unix_us();
      break;
    case v1::JobEvent::kTaskResolved:
      history.task = event.task_resolved().task();
      break;
    case v1::JobEvent::kStageCompleted:
      FoldStageCompleted(event.stage_completed(), history);
      break;
    case v1::JobEvent::kBudgetExtended:
      FoldExtension(event, history);
      break;
    case v1::JobEvent::kJobEnded:
      FoldEnd(event, history);
      break;
    case v1::JobEvent::kEvaluationReplayed:
      RETURN_IF_ERROR(FoldReplay(event, history));
      break;
    default:
      RETURN_IF_ERROR(FoldRound(event, history));
  }
  history.last_sequence = event.sequence();
  return absl::OkStatus();
}

bool GoalMet(const v1::Goal& goal, const JobHistory& history) {
  if (history.incumbent_round == 0) return false;
  if (goal.latency_us() > 0 && history.best_us() > 0 && history.best_us() <= goal.latency_us()) return true;
  return goal.speedup_vs_baseline() > 0 && history.speedup_vs_baseline() >= goal.speedup_vs_baseline();
}

}  // namespace kernelsmith::server
