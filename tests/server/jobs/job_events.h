// Short ways to write job events in tests.
#pragma once

#include <string>

#include "kernelsmith/v1/job.pb.h"

namespace kernelsmith::server {

inline v1::JobEvent Submitted(int rounds = 3) {
  v1::JobEvent event;
  event.mutable_submitted()->set_team("a");
  event.mutable_submitted()->mutable_spec()->mutable_budget()->set_rounds(rounds);
  return event;
}
inline v1::JobEvent Resolved() {
  v1::JobEvent event;
  event.mutable_task_resolved()->mutable_task()->set_name("relu");
  return event;
}
inline v1::JobEvent Started(int round) {
  v1::JobEvent event;
  event.mutable_round_started()->set_round(round);
  return event;
}
inline v1::JobEvent Context(int round) {
  v1::JobEvent event;
  event.mutable_context_assembled()->set_round(round);
  return event;
}
inline v1::JobEvent Intended(int round) {
  v1::JobEvent event;
  event.mutable_model_call_intended()->set_round(round);
  return event;
}
inline v1::JobEvent CallEnded(int round, int64_t prompt, int64_t completion, double money, int http_attempts = 1) {
  v1::JobEvent event;
  auto& call = *event.mutable_model_call_ended();
  call.set_round(round);
  call.set_prompt_tokens(prompt);
  call.set_completion_tokens(completion);
  call.set_money(money);
  call.set_http_attempts(http_attempts);
  return event;
}
inline v1::JobEvent Proposal(int round, const std::string& digest = "sha256:c") {
  v1::JobEvent event;
  event.mutable_proposed()->set_round(round);
  event.mutable_proposed()->mutable_candidate()->set_digest(digest);
  return event;
}
inline v1::JobEvent Queued(int round) {
  v1::JobEvent event;
  event.mutable_evaluation_queued()->set_round(round);
  return event;
}
inline v1::JobEvent Leased() {
  v1::JobEvent event;
  event.mutable_evaluation_leased()->set_lease_epoch(1);
  return event;
}
inline v1::JobEvent Retried() {
  v1::JobEvent event;
  event.mutable_evaluation_retried()->set_failures(1);
  return event;
}
inline v1::JobEvent Evaluated(int round, v1::EvaluationStatus status, double latency_us = 0, double baseline_us = 0,
                              double speedup = 0) {
  v1::JobEvent event;
  auto& ended = *event.mutable_evaluation_ended();
  ended.set_round(round);
  ended.set_status(status);
  ended.set_latency_us(latency_us);
  ended.set_baseline_us(baseline_us);
  ended.set_speedup_vs_baseline(speedup);
  return event;
}
inline v1::JobEvent Recorded(int round, v1::EvaluationStatus status, double latency_us = 0, bool incumbent = false) {
  v1::JobEvent event;
  auto& recorded = *event.mutable_round_recorded();
  recorded.set_round(round);
  recorded.set_status(status);
  recorded.set_latency_us(latency_us);
  recorded.set_became_incumbent(incumbent);
  return event;
}
inline v1::JobEvent StageDone() {
  v1::JobEvent event;
  event.mutable_stage_completed()->set_stage(v1::DRAFTING);
  return event;
}
inline v1::JobEvent Extended(int rounds) {
  v1::JobEvent event;
  event.mutable_budget_extended()->mutable_extra()->set_rounds(rounds);
  return event;
}
inline v1::JobEvent Replayed(int round) {
  v1::JobEvent event;
  event.mutable_evaluation_replayed()->set_round(round);
  event.mutable_evaluation_replayed()->mutable_candidate()->set_digest("sha256:c");
  return event;
}
inline v1::JobEvent Ended(v1::JobState state, const std::string& reason = "why") {
  v1::JobEvent event;
  event.mutable_job_ended()->set_state(state);
  event.mutable_job_ended()->set_reason(reason);
  return event;
}
inline v1::JobEvent ProgressMade(const std::string& activity) {
  v1::JobEvent event;
  event.mutable_progress()->set_activity(activity);
  return event;
}

}  // namespace kernelsmith::server
