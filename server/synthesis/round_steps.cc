#include "server/synthesis/round_steps.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "server/knowledge/cold_documents.h"
#include "server/synthesis/attempt_rules.h"
#include "server/synthesis/case_record.h"
#include "server/synthesis/context_request.h"
#include "server/synthesis/job_log.h"
#include "server/synthesis/proposal_check.h"
#include "server/synthesis/round_archive.h"
#include "server/synthesis/stage_scoring.h"
#include "server/synthesis/work_options.h"

namespace kernelsmith::server {
namespace {

// A memory that refuses the content will refuse it again; whatever else is wrong with it may be repaired while the job
// waits.
absl::Status FromMemory(const absl::Status& status) {
  if (status.ok()) return status;
  const std::string message = absl::StrCat("memory: ", status.message());
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kOutOfRange:
      return absl::FailedPreconditionError(message);
    default:
      return absl::UnavailableError(message);
  }
}

const PastRound* FindRound(const std::vector<PastRound>& past, int number) {
  for (const PastRound& round : past) {
    if (round.round == number) return &round;
  }
  return nullptr;
}

v1::EvaluationReport ReportOf(const WorkResult& result) {
  if (result.state.has_report()) return result.state.report();
  v1::EvaluationReport report;
  report.set_status(v1::INFRASTRUCTURE);
  report.set_summary(absl::StrCat("worker ", result.worker_id, " gave no report after ", result.failures, " failures"));
  return report;
}

}  // namespace

absl::Status RoundSteps::Refresh() { return CatchUp(context_.store, job_id_, history_); }

absl::Status RoundSteps::Perform(const Step& step, bool without_memory) {
  switch (step.kind) {
    case StepKind::kNothing:
      return absl::OkStatus();
    case StepKind::kResolveTask:
      return ResolveTask();
    case StepKind::kStartRound:
      return StartRound(step);
    case StepKind::kCompleteStage:
      return CompleteStage(step.stage);
    case StepKind::kEndJob:
      return EndJob(step.ending);
    default:
      break;
  }
  // A copy, because every append changes the history.
  const RoundState round = *history_.open_round();
  switch (step.kind) {
    case StepKind::kAssembleContext:
      return AssembleContext(round);
    case StepKind::kPropose:
      return round.number() == 1 && history_.spec.has_start_from() ? ProposeGiven(round) : Propose(round);
    case StepKind::kQueueEvaluation:
      return QueueEvaluation(round);
    case StepKind::kEvaluate:
      return Evaluate(round);
    default:
      return RecordRound(round, without_memory);
  }
}

void RoundSteps::Announce(const std::string& activity, const std::string& worker_id) {
  v1::JobEvent event;
  event.mutable_progress()->set_activity(activity);
  event.mutable_progress()->set_worker_id(worker_id);
  context_.store.Announce(job_id_, event);
}

absl::Status RoundSteps::Append(v1::JobEvent event) {
  const absl::Status appended = context_.store.Append(job_id_, std::move(event)).status();
  RETURN_IF_ERROR(Refresh());
  if (!appended.ok() && history_.ended) return absl::CancelledError("the job has ended");
  return appended;
}

absl::StatusOr<WorkResult> RoundSteps::RunWork(WorkItem item) {
  item.team = history_.team;
  item.job_id = job_id_;
  item.priority = history_.spec.priority();
  item.card_kind = history_.spec.card_kind();
  return context_.queue.Run(
      item, [&](const WorkNotice& notice) { OnNotice(item, notice); },
      // At shutdown the work goes on: the worker keeps it, and the next coordinator fetches the result.
      [&] { return !context_.interrupts.stopping() && context_.interrupts.ShouldStop(job_id_); });
}

void RoundSteps::OnNotice(const WorkItem& item, const WorkNotice& notice) {
  v1::JobEvent event;
  switch (notice.kind) {
    case WorkNotice::kWaiting:
    case WorkNotice::kActivity:
      return Announce(notice.text, notice.worker_id);
    case WorkNotice::kLeased: {
      // After a restart the queue tells again of a lease that is in the log.
      const RoundState* open = history_.open_round();
      if (open != nullptr && open->lease_epoch >= notice.lease_epoch) return;
      v1::EvaluationLeased& leased = *event.mutable_evaluation_leased();
      leased.set_assignment_id(item.assignment_id);
      leased.set_lease_epoch(notice.lease_epoch);
      leased.set_worker_id(notice.worker_id);
      break;
    }
    case WorkNotice::kRetried: {
      v1::EvaluationRetried& retried = *event.mutable_evaluation_retried();
      retried.set_assignment_id(item.assignment_id);
      retried.set_lease_epoch(notice.lease_epoch);
      retried.set_reason(notice.text);
      retried.set_failures(notice.failures);
      context_.metrics.EvaluationRetried();
      break;
    }
  }
  // The log lives on without this event; a store that is really broken shows at the next step.
  Append(std::move(event)).IgnoreError();
}

absl::Status RoundSteps::ResolveTask() {
  WorkItem item;
  item.assignment_id = history_.inspection_id.empty() ? InspectionId(job_id_) : history_.inspection_id;
  *item.work.mutable_inspect()->mutable_task() = history_.spec.task();
  ASSIGN_OR_RETURN(const WorkResult result, RunWork(item));
  const v1::InspectResult& inspected = result.state.inspected();
  if (!inspected.ok()) {
    return absl::FailedPreconditionError(absl::StrCat(
        inspected.status() == v1::INVALID_TASK ? "the task is not valid: " : "the task could not be inspected: ",
        inspected.error().empty() ? "no worker could finish the inspection" : inspected.error()));
  }
  v1::JobEvent event;
  *event.mutable_task_resolved()->mutable_task() = inspected.spec();
  *event.mutable_task_resolved()->mutable_phases() = inspected.phases();
  RETURN_IF_ERROR(Append(std::move(event)));
  return context_.queue.Forget(item.assignment_id);
}

absl::StatusOr<int> RoundSteps::StartRoundOf(const Step& step) {
  // A job that names no policy goes on from its incumbent.
  const v1::Policy& policy = history_.spec.policy();
  const bool named = !policy.preset().empty() || policy.start_point() != v1::Policy::START_POINT_UNSPECIFIED;
  if (step.stage != v1::REFINING || !named) return step.start_round;
  v1::ListStartPointsRequest request;
  request.set_session(job_id_);
  *request.mutable_policy() = policy;
  const auto points = context_.memory.ListStartPoints(history_.team, request);
  RETURN_IF_ERROR(FromMemory(points.status()));
  return ChosenStartRound(*points, context_.producer, history_, step.start_round);
}

absl::Status RoundSteps::StartRound(const Step& step) {
  ASSIGN_OR_RETURN(const int start_round, StartRoundOf(step));
  v1::JobEvent event;
  v1::RoundStarted& started = *event.mutable_round_started();
  started.set_round(step.round);
  started.set_stage(step.stage);
  started.set_attempt_id(step.attempt_id);
  started.set_start_round(start_round);
  return Append(std::move(event));
}

v1::Target RoundSteps::TargetFor(const std::vector<PastRound>& past) const {
  v1::Target target = LatestTarget(past);
  if (!target.architecture().empty()) return target;
  for (const v1::Card& card : context_.queue.Cards()) {
    if (card.state().kind() == history_.spec.card_kind() && card.state().has_target()) return card.state().target();
  }
  return target;
}

absl::Status RoundSteps::AssembleContext(const RoundState& round) {
  Announce("asking memory for experience");
  ASSIGN_OR_RETURN(const std::vector<PastRound> past, LoadHistory(context_.store.content(), history_));
  const v1::Target target = TargetFor(past);
  const v1::AssembleContextRequest request = BuildContextRequest(
      history_, round, past, target, context_.proposers.LimitsFor(history_.spec.proposer()), context_.producer);
  auto response = context_.memory.AssembleContext(history_.team, request);
  RETURN_IF_ERROR(FromMemory(response.status()));
  // The catalog reads no prose.
  if (history_.spec.proposer().has_chat()) AddColdDocuments(DocumentsFor(history_.spec.card_kind()), &*response);

  v1::JobEvent event;
  event.mutable_context_assembled()->set_round(round.number());
  v1::ContextSupplied& supplied = *event.mutable_context_assembled()->mutable_supplied();
  supplied.set_retrieval_id(response->retrieval_id());
  // Without those about documents, for which nobody states adoption.
  for (const v1::ItemDecision& decision : response->decisions()) {
    if (!IsDocument(decision.item_id())) *supplied.add_decisions() = decision;
  }
  for (const v1::RankedItem& item : response->items()) supplied.add_titles(item.item().title());
  supplied.set_used_tokens(response->used_tokens());
  ASSIGN_OR_RETURN(*supplied.mutable_context(), PutMessage(context_.store.content(), *response, "context.pb"));
  return Append(std::move(event));
}

absl::Status RoundSteps::Propose(const RoundState& round) {
  Announce("waiting for the proposer");
  ASSIGN_OR_RETURN(Proposer * proposer, context_.proposers.For(history_.spec.proposer()));
  ProposalRequest request;
  request.job_id = job_id_;
  request.attempt_id = round.started.attempt_id();
  request.round = round.number();
  request.stage = round.started.stage();
  request.spec = history_.spec;
  request.task = *history_.task;
  request.card_kind = history_.spec.card_kind();
  ASSIGN_OR_RETURN(request.history, LoadHistory(context_.store.content(), history_));
  request.target = LatestTarget(request.history);
  request.incumbent_round = history_.incumbent_round;
  request.start_round = round.started.start_round();
  ASSIGN_OR_RETURN(request.context,
                   GetMessage<v1::AssembleContextResponse>(context_.store.content(), round.context->context()));
  v1::Proposed proposed;
  proposed.set_begin_unix_us(context_.clock.UnixMicros());
  auto result = proposer->Propose(request);
  RETURN_IF_ERROR(result.status());
  // A ledger entry may have been added meanwhile.
  RETURN_IF_ERROR(Refresh());
  proposed.set_end_unix_us(context_.clock.UnixMicros());
  if (result->candidate) {
    const std::string fault = ProposalFault(*result->candidate, result->proposal, *round.context);
    if (!fault.empty()) {
      result->proposal.set_error(fault);
      result->candidate.reset();
    }
  } else if (result->proposal.error().empty()) {
    result->proposal.set_error("the proposer gave no candidate and no reason");
  }
  if (result->proposal.purpose() == v1::PURPOSE_UNSPECIFIED) result->proposal.set_purpose(DefaultPurpose(history_));
  *proposed.mutable_proposal() = std::move(result->proposal);
  context_.metrics.ProposerTook(proposed.proposal().author().kind(),
                                static_cast<double>(proposed.end_unix_us() - proposed.begin_unix_us()) * 1e-6);
  return AppendProposal(std::move(proposed), result->candidate ? &*result->candidate : nullptr);
}

absl::Status RoundSteps::ProposeGiven(const RoundState& round) {
  v1::Proposed proposed;
  proposed.set_begin_unix_us(context_.clock.UnixMicros());
  proposed.set_end_unix_us(proposed.begin_unix_us());
  *proposed.mutable_proposal() = GivenKernelProposal();
  proposed.set_round(round.number());
  return AppendProposal(std::move(proposed), &history_.spec.start_from());
}

absl::Status RoundSteps::AppendProposal(v1::Proposed proposed, const v1::Candidate* candidate) {
  proposed.set_round(history_.open_round()->number());
  proposed.mutable_proposal()->mutable_author()->set_team(history_.team);
  if (candidate != nullptr) {
    ASSIGN_OR_RETURN(*proposed.mutable_candidate(), PutMessage(context_.store.content(), *candidate, "candidate.pb"));
  }
  v1::JobEvent event;
  *event.mutable_proposed() = std::move(proposed);
  return Append(std::move(event));
}

absl::Status RoundSteps::QueueEvaluation(const RoundState& round) {
  if (round.context && !round.context->retrieval_id().empty()) {
    v1::RecordAdoptionRequest request;
    request.set_retrieval_id(round.context->retrieval_id());
    *request.mutable_records() = round.proposed->proposal().adoption();
    RETURN_IF_ERROR(FromMemory(context_.memory.RecordAdoption(history_.team, request).status()));
  }
  v1::JobEvent event;
  event.mutable_evaluation_queued()->set_round(round.number());
  event.mutable_evaluation_queued()->set_assignment_id(EvaluationId(round.started.attempt_id()));
  return Append(std::move(event));
}

absl::Status RoundSteps::Evaluate(const RoundState& round) {
  const common::ContentStore& content = context_.store.content();
  WorkItem item;
  item.assignment_id = round.assignment_id;
  item.round = round.number();
  v1::EvaluateWork& work = *item.work.mutable_evaluate();
  *work.mutable_task() = history_.spec.task();
  *work.mutable_spec() = *history_.task;
  ASSIGN_OR_RETURN(*work.mutable_candidate(), GetMessage<v1::Candidate>(content, round.proposed->candidate()));
  if (const RoundState* incumbent = history_.round(history_.incumbent_round)) {
    ASSIGN_OR_RETURN(*work.mutable_incumbent(), GetMessage<v1::Candidate>(content, incumbent->proposed->candidate()));
  }
  *work.mutable_options() = history_.spec.evaluation();
  *work.mutable_options()->mutable_limits() = EffectiveLimits(history_.spec.evaluation().limits(), context_.limits);
  work.set_input_secret(context_.input_secret);
  work.set_epoch(InputEpoch(history_.submitted_unix_us));
  ASSIGN_OR_RETURN(const WorkResult result, RunWork(std::move(item)));

  const v1::EvaluationReport report = ReportOf(result);
  v1::JobEvent event;
  v1::EvaluationEnded& ended = *event.mutable_evaluation_ended();
  ended.set_round(round.number());
  ended.set_assignment_id(round.assignment_id);
  ended.set_lease_epoch(result.lease_epoch);
  ASSIGN_OR_RETURN(*ended.mutable_report(), PutMessage(content, report, "report.pb"));
  ended.set_status(report.status());
  ended.set_latency_us(report.latency_us());
  ended.set_speedup_vs_baseline(report.speedup_vs_baseline());
  ended.set_summary(report.summary());
  *ended.mutable_gates() = report.gates();
  ended.set_baseline_us(report.baseline_us());
  *ended.mutable_phases() = report.phases();
  for (const v1::PhaseInterval& wait : result.waits) *ended.add_phases() = wait;
  const v1::EvaluationEnded logged = ended;
  RETURN_IF_ERROR(Append(std::move(event)));
  context_.metrics.GatesPassed(logged);
  return context_.queue.Forget(round.assignment_id);
}

absl::Status RoundSteps::RecordRound(const RoundState& round, bool without_memory) {
  ASSIGN_OR_RETURN(const PastRound attempt, LoadRound(context_.store.content(), round));
  v1::JobEvent event;
  v1::RoundRecorded& recorded = *event.mutable_round_recorded();
  recorded.set_round(round.number());
  recorded.set_status(attempt.report.status());
  recorded.set_latency_us(attempt.report.latency_us());
  recorded.set_became_incumbent(round.evaluated &&
                                BecomesIncumbent(attempt.report, history_.incumbent_round > 0, history_.best_us()));
  recorded.set_best_us(recorded.became_incumbent() ? attempt.report.latency_us() : history_.best_us());
  if (!without_memory && round.evaluated && IsEvidence(attempt.report.status())) {
    ASSIGN_OR_RETURN(const std::vector<PastRound> past, LoadHistory(context_.store.content(), history_));
    const v1::RecordAttemptRequest request =
        BuildCaseRecord({.history = history_,
                         .round = round,
                         .attempt = attempt,
                         .predecessor = FindRound(past, round.started.start_round()),
                         .became_incumbent = recorded.became_incumbent()},
                        context_.producer);
    const auto response = context_.memory.RecordAttempt(history_.team, request);
    RETURN_IF_ERROR(FromMemory(response.status()));
    recorded.set_case_item_id(response->case_item_id());
  }
  const v1::EvaluationStatus status = recorded.status();
  RETURN_IF_ERROR(Append(std::move(event)));
  context_.metrics.RoundRecorded(status, round.has_candidate());
  return absl::OkStatus();
}

absl::Status RoundSteps::CompleteStage(v1::Stage stage) {
  const StageOutcome outcome = OutcomeOf(stage, history_);
  v1::JobEvent event;
  event.mutable_stage_completed()->set_stage(stage);
  if (!outcome.retrieval_ids.empty()) {
    ASSIGN_OR_RETURN(const std::vector<PastRound> past, LoadHistory(context_.store.content(), history_));
    v1::CompleteStageRequest request;
    request.set_producer(context_.producer);
    request.set_stage_id(outcome.stage_id);
    request.set_stage(stage);
    request.set_operator_name(history_.task->operator_name());
    request.set_task_hash(history_.task->hash());
    *request.mutable_target() = LatestTarget(past);
    for (const std::string& id : outcome.retrieval_ids) request.add_retrieval_ids(id);
    request.set_passed(outcome.passed);
    request.set_first_us(outcome.first_us);
    request.set_best_us(outcome.best_us);
    *request.mutable_policy() = history_.spec.policy();
    const auto response = context_.memory.CompleteStage(history_.team, request);
    RETURN_IF_ERROR(FromMemory(response.status()));
    event.mutable_stage_completed()->set_z(response->z());
    event.mutable_stage_completed()->set_utility_changes(response->changes_size());
  }
  return Append(std::move(event));
}

absl::Status RoundSteps::EndJob(const Ending& ending) {
  const uint64_t seen = history_.last_sequence;
  v1::JobEvent event;
  event.mutable_job_ended()->set_state(ending.state);
  event.mutable_job_ended()->set_reason(ending.reason);
  const auto ended = context_.store.Append(job_id_, event);
  RETURN_IF_ERROR(Refresh());
  if (!ended.ok()) return history_.ended ? absl::OkStatus() : ended.status();  // cancelled meanwhile
  context_.metrics.JobEnded(ending.state);
  const bool reopenable = ending.state == v1::SUCCEEDED || ending.state == v1::EXHAUSTED;
  if (!reopenable || ended->sequence() == seen + 1) return absl::OkStatus();
  // Budget was added between the decision and the end. Reopen, so that the decision is made again.
  v1::JobEvent reopened;
  reopened.mutable_budget_extended();
  return Append(std::move(reopened));
}

}  // namespace kernelsmith::server
