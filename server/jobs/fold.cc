// The fold of a job's events. Which event may follow which:
//
//   JobSubmitted, TaskResolved, then rounds 1, 2, ...; a round is RoundStarted, any of its events, RoundRecorded;
//   JobEnded at any time. BudgetExtended at any time before the end, and after SUCCEEDED or EXHAUSTED, which reopens
//   the job. EvaluationReplayed after FAILED, which reopens the job and its last round.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "server/jobs/job_store.h"

namespace kernelsmith::server {
namespace {

constexpr int kDefaultRounds = 30;  // of a budget that says 0

absl::Status CannotFollow(const v1::JobEvent& event, const v1::Job& job, absl::string_view why) {
  return absl::InternalError(absl::StrCat("event ", event.sequence(), " (kind ", static_cast<int>(event.event_case()),
                                          ") cannot follow in job '", job.id(), "', state ",
                                          v1::JobState_Name(job.state()), ": ", why));
}

absl::Status CheckOpenRound(const v1::JobEvent& event, const v1::Job& job, int round) {
  if (job.open_round().round() != round || round == 0) {
    return CannotFollow(event, job,
                        absl::StrCat("it belongs to round ", round, ", open is ", job.open_round().round()));
  }
  return absl::OkStatus();
}

absl::Status Submit(const v1::JobEvent& event, v1::Job& job) {
  if (job.last_sequence() != 0) return CannotFollow(event, job, "the job was submitted before");
  const auto& submitted = event.submitted();
  job.set_id(event.job_id());
  job.set_team(submitted.team());
  *job.mutable_spec() = submitted.spec();
  job.set_state(v1::SUBMITTED);
  job.set_stage(v1::DRAFTING);
  job.set_rounds_budget(submitted.spec().budget().rounds() > 0 ? submitted.spec().budget().rounds() : kDefaultRounds);
  job.set_submitted_unix_us(event.at_unix_us());
  return absl::OkStatus();
}

absl::Status StartRound(const v1::JobEvent& event, v1::Job& job) {
  const int round = event.round_started().round();
  if (job.state() != v1::QUEUED && job.state() != v1::RUNNING_ROUND) {
    return CannotFollow(event, job, "a round needs a resolved task");
  }
  if (job.has_open_round()) {
    return CannotFollow(event, job, absl::StrCat("round ", job.open_round().round(), " is still open"));
  }
  if (round != job.rounds_done() + 1) {
    return CannotFollow(event, job, absl::StrCat("round ", round, " starts after ", job.rounds_done(), " rounds"));
  }
  job.mutable_open_round()->set_round(round);
  job.set_state(v1::RUNNING_ROUND);
  if (job.started_unix_us() == 0) job.set_started_unix_us(event.at_unix_us());
  return absl::OkStatus();
}

absl::Status EndModelCall(const v1::JobEvent& event, v1::Job& job) {
  const auto& call = event.model_call_ended();
  RETURN_IF_ERROR(CheckOpenRound(event, job, call.round()));
  job.set_tokens_used(job.tokens_used() + call.prompt_tokens() + call.completion_tokens());
  job.set_money_used(job.money_used() + call.money());
  job.set_model_requests(job.model_requests() +
                         std::max(0, call.http_attempts() - 1));  // the first was counted as intent
  return absl::OkStatus();
}

absl::Status Propose(const v1::JobEvent& event, v1::Job& job) {
  RETURN_IF_ERROR(CheckOpenRound(event, job, event.proposed().round()));
  if (event.proposed().has_candidate()) *job.mutable_open_round()->mutable_candidate() = event.proposed().candidate();
  return absl::OkStatus();
}

absl::Status EndEvaluation(const v1::JobEvent& event, v1::Job& job) {
  const auto& ended = event.evaluation_ended();
  RETURN_IF_ERROR(CheckOpenRound(event, job, ended.round()));
  auto& round = *job.mutable_open_round();
  round.set_status(ended.status());
  round.set_speedup_vs_baseline(ended.speedup_vs_baseline());
  round.set_baseline_us(ended.baseline_us());
  return absl::OkStatus();
}

absl::Status RecordRound(const v1::JobEvent& event, v1::Job& job) {
  const auto& recorded = event.round_recorded();
  RETURN_IF_ERROR(CheckOpenRound(event, job, recorded.round()));
  const bool passed = recorded.status() == v1::PASSED;
  if (recorded.became_incumbent() && !passed) {
    return CannotFollow(event, job, "only a candidate that passed becomes the incumbent");
  }
  const v1::OpenRound round = job.open_round();
  job.clear_open_round();
  job.set_rounds_done(recorded.round());
  if (passed && job.first_correct_round() == 0) {
    job.set_first_correct_round(recorded.round());
    job.set_first_correct_us(recorded.latency_us());
    job.set_stage(v1::REFINING);
  }
  if (!recorded.became_incumbent()) return absl::OkStatus();
  job.set_incumbent_round(recorded.round());
  job.set_best_us(recorded.latency_us());
  job.set_baseline_us(round.baseline_us());
  job.set_speedup_vs_baseline(round.speedup_vs_baseline());
  if (job.best_us() > 0) job.set_speedup_vs_first(job.first_correct_us() / job.best_us());
  if (round.has_candidate()) {
    *job.mutable_best_candidate() = round.candidate();
  } else {
    job.clear_best_candidate();
  }
  return absl::OkStatus();
}

// The job goes on as if it had not ended.
void Reopen(v1::JobState state, v1::Job& job) {
  job.set_state(state);
  job.clear_reason();
  job.clear_ended_unix_us();
  job.clear_time_use();
}

absl::Status ExtendBudget(const v1::JobEvent& event, v1::Job& job) {
  const auto& extra = event.budget_extended().extra();
  if (extra.rounds() < 0 || extra.tokens() < 0 || extra.money() < 0 || extra.wall_s() < 0) {
    return CannotFollow(event, job, "a budget cannot shrink");
  }
  if (job.state() == v1::FAILED || job.state() == v1::CANCELLED) return CannotFollow(event, job, "it cannot go on");
  auto& budget = *job.mutable_spec()->mutable_budget();
  job.set_rounds_budget(job.rounds_budget() + extra.rounds());
  budget.set_rounds(job.rounds_budget());
  // Zero means no limit, which more does not change.
  if (budget.tokens() > 0) budget.set_tokens(budget.tokens() + extra.tokens());
  if (budget.money() > 0) budget.set_money(budget.money() + extra.money());
  if (budget.wall_s() > 0) budget.set_wall_s(budget.wall_s() + extra.wall_s());
  if (HasEnded(job.state())) Reopen(job.has_task() ? v1::QUEUED : v1::SUBMITTED, job);
  return absl::OkStatus();
}

absl::Status Replay(const v1::JobEvent& event, v1::Job& job) {
  const auto& replayed = event.evaluation_replayed();
  if (job.state() != v1::FAILED) return CannotFollow(event, job, "only a job that failed is taken up again");
  if (replayed.round() == 0) {
    if (job.has_task()) return CannotFollow(event, job, "the task is resolved");
    Reopen(v1::SUBMITTED, job);
    return absl::OkStatus();
  }
  if (replayed.round() != job.rounds_done() || replayed.round() == job.incumbent_round()) {
    return CannotFollow(event, job, absl::StrCat("round ", replayed.round(), " is not the last one, or not lost"));
  }
  job.set_rounds_done(replayed.round() - 1);
  job.mutable_open_round()->set_round(replayed.round());
  *job.mutable_open_round()->mutable_candidate() = replayed.candidate();
  Reopen(v1::RUNNING_ROUND, job);
  return absl::OkStatus();
}

absl::Status End(const v1::JobEvent& event, v1::Job& job) {
  const auto& ended = event.job_ended();
  if (!HasEnded(ended.state())) return CannotFollow(event, job, "JobEnded needs a final state");
  if (ended.state() == v1::SUCCEEDED && job.incumbent_round() == 0) {
    return CannotFollow(event, job, "SUCCEEDED needs an incumbent");
  }
  if (ended.state() == v1::EXHAUSTED && job.incumbent_round() != 0) {
    return CannotFollow(event, job, "EXHAUSTED means no incumbent");
  }
  job.set_state(ended.state());
  job.set_reason(ended.reason());
  job.set_ended_unix_us(event.at_unix_us());
  job.clear_open_round();
  *job.mutable_time_use() = ended.time_use();
  return absl::OkStatus();
}

absl::Status ApplyKind(const v1::JobEvent& event, v1::Job& job) {
  switch (event.event_case()) {
    case v1::JobEvent::kSubmitted:
      return Submit(event, job);
    case v1::JobEvent::kTaskResolved:
      if (job.state() != v1::SUBMITTED) return CannotFollow(event, job, "the task is resolved once, first");
      *job.mutable_task() = event.task_resolved().task();
      job.set_state(v1::QUEUED);
      return absl::OkStatus();
    case v1::JobEvent::kRoundStarted:
      return StartRound(event, job);
    case v1::JobEvent::kContextAssembled:
      return CheckOpenRound(event, job, event.context_assembled().round());
    case v1::JobEvent::kModelCallIntended:
      RETURN_IF_ERROR(CheckOpenRound(event, job, event.model_call_intended().round()));
      job.set_model_requests(job.model_requests() + 1);
      return absl::OkStatus();
    case v1::JobEvent::kModelCallEnded:
      return EndModelCall(event, job);
    case v1::JobEvent::kProposed:
      return Propose(event, job);
    case v1::JobEvent::kEvaluationQueued:
      return CheckOpenRound(event, job, event.evaluation_queued().round());
    case v1::JobEvent::kEvaluationLeased:  // also of the inspection that resolves the task
      return absl::OkStatus();
    case v1::JobEvent::kEvaluationRetried:
      job.set_evaluations_retried(job.evaluations_retried() + 1);
      return absl::OkStatus();
    case v1::JobEvent::kEvaluationEnded:
      return EndEvaluation(event, job);
    case v1::JobEvent::kRoundRecorded:
      return RecordRound(event, job);
    case v1::JobEvent::kStageCompleted:  // a fact for memory
      return absl::OkStatus();
    case v1::JobEvent::kBudgetExtended:
      return ExtendBudget(event, job);
    case v1::JobEvent::kJobEnded:
      return End(event, job);
    case v1::JobEvent::kEvaluationReplayed:
      return Replay(event, job);
    case v1::JobEvent::kProgress:
      return CannotFollow(event, job, "progress is transient and never logged");
    case v1::JobEvent::EVENT_NOT_SET:
      return CannotFollow(event, job, "it is empty, or of a kind that this program does not know");
  }
  return CannotFollow(event, job, "unknown kind");
}

}  // namespace

bool HasEnded(v1::JobState state) {
  return state == v1::SUCCEEDED || state == v1::EXHAUSTED || state == v1::FAILED || state == v1::CANCELLED;
}

absl::Status ApplyEvent(const v1::JobEvent& event, v1::Job& job) {
  if (event.sequence() != job.last_sequence() + 1) {
    return CannotFollow(event, job, absl::StrCat("expected sequence ", job.last_sequence() + 1));
  }
  if (!event.has_submitted()) {
    if (job.last_sequence() == 0) return CannotFollow(event, job, "the first event is JobSubmitted");
    if (event.job_id() != job.id()) return CannotFollow(event, job, absl::StrCat("it is of job ", event.job_id()));
    if (HasEnded(job.state()) && !event.has_budget_extended() && !event.has_evaluation_replayed()) {
      return CannotFollow(event, job, "the job has ended");
    }
  }
  RETURN_IF_ERROR(ApplyKind(event, job));
  job.set_last_sequence(event.sequence());
  return absl::OkStatus();
}

}  // namespace kernelsmith::server
