#include "server/api/job_records.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "server/jobs/references.h"
#include "server/synthesis/job_log.h"
#include "server/synthesis/round_archive.h"

namespace kernelsmith::server {
namespace {

absl::Status NoSuchRound(const std::string& job_id, int round, const JobHistory& history) {
  return absl::NotFoundError(
      absl::StrCat("job '", job_id, "' has no round ", round, "; it has ", history.rounds.size()));
}

// Which round an event belongs to; 0 for none.
int RoundOf(const v1::JobEvent& event) {
  if (event.has_model_call_intended()) return event.model_call_intended().round();
  if (event.has_model_call_ended()) return event.model_call_ended().round();
  if (event.has_evaluation_ended()) return event.evaluation_ended().round();
  return 0;
}

absl::Status AppendLogs(const JobStore& store, const v1::JobEvent& event, std::vector<RoundLog>& logs) {
  const int round = RoundOf(event);
  if (event.has_model_call_intended()) {
    logs.push_back({round, "prompt", event.model_call_intended().request()});
  } else if (event.has_model_call_ended() && event.model_call_ended().has_reply()) {
    logs.push_back({round, "reply", event.model_call_ended().reply()});
  } else if (event.has_evaluation_ended()) {
    ASSIGN_OR_RETURN(const auto report,
                     GetMessage<v1::EvaluationReport>(store.content(), event.evaluation_ended().report()));
    for (const v1::ArtifactRef& log : report.logs()) logs.push_back({round, log.name(), log});
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<v1::Attempt> LoadAttempt(const JobStore& store, const std::string& job_id, int round) {
  ASSIGN_OR_RETURN(const std::vector<v1::JobEvent> events, AllEvents(store, job_id));
  ASSIGN_OR_RETURN(const JobHistory history, FoldAll(events));
  if (round == 0 && history.incumbent_round == 0) {
    return absl::NotFoundError(absl::StrCat("job '", job_id, "' has no correct kernel yet; name a round instead"));
  }
  const RoundState* state = history.round(round == 0 ? history.incumbent_round : round);
  if (state == nullptr) return NoSuchRound(job_id, round, history);
  ASSIGN_OR_RETURN(PastRound past, LoadRound(store.content(), *state));

  v1::Attempt attempt;
  attempt.set_job_id(job_id);
  attempt.set_attempt_id(state->started.attempt_id());
  attempt.set_round(state->number());
  attempt.set_stage(state->started.stage());
  if (state->has_candidate()) *attempt.mutable_candidate() = std::move(past.candidate);
  attempt.set_candidate_hash(past.report.candidate_hash());
  attempt.set_start_round(state->started.start_round());
  if (state->proposed) *attempt.mutable_proposal() = std::move(past.proposal);
  if (state->evaluated) *attempt.mutable_report() = std::move(past.report);
  attempt.set_became_incumbent(state->recorded && state->recorded->became_incumbent());
  if (state->context) *attempt.mutable_context() = *state->context;
  return attempt;
}

absl::StatusOr<std::vector<RoundLog>> ListLogs(const JobStore& store, const std::string& job_id, int round) {
  ASSIGN_OR_RETURN(const std::vector<v1::JobEvent> events, AllEvents(store, job_id));
  ASSIGN_OR_RETURN(const JobHistory history, FoldAll(events));
  if (round != 0 && history.round(round) == nullptr) return NoSuchRound(job_id, round, history);
  std::vector<RoundLog> logs;
  for (const v1::JobEvent& event : events) {
    if (RoundOf(event) == 0 || (round != 0 && RoundOf(event) != round)) continue;
    RETURN_IF_ERROR(AppendLogs(store, event, logs));
  }
  return logs;
}

absl::StatusOr<std::set<std::string>> DigestsOfJob(const JobStore& store, const std::string& job_id) {
  ASSIGN_OR_RETURN(const std::vector<v1::JobEvent> events, AllEvents(store, job_id));
  std::set<std::string> digests;
  for (const v1::JobEvent& event : events) {
    CollectDigests(event, digests);
    if (!event.has_evaluation_ended()) continue;
    ASSIGN_OR_RETURN(const auto report,
                     GetMessage<v1::EvaluationReport>(store.content(), event.evaluation_ended().report()));
    CollectDigests(report, digests);
  }
  return digests;
}

}  // namespace kernelsmith::server
