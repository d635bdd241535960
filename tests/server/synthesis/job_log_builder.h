// Builds event logs of jobs for tests of the rules, one call an event.
//
//   JobLogBuilder log;
//   log.Submit().Resolve().Round({.status = v1::PASSED, .latency_us = 100, .incumbent = true});
//   NextStep(log.history(), kNow);
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "server/synthesis/job_history.h"

namespace kernelsmith::server {

inline constexpr int64_t kLogStart = 1'700'000'000'000'000;  // Unix microseconds of the first event

struct RoundScript {
  v1::EvaluationStatus status = v1::PASSED;
  double latency_us = 0;
  bool incumbent = false;
  double speedup_vs_baseline = 0;
  bool candidate = true;
  bool evidence = true;
};

class JobLogBuilder {
 public:
  explicit JobLogBuilder(std::function<void(v1::JobSpec&)> adjust = nullptr) {
    spec_.set_card_kind("cpu");
    spec_.mutable_budget()->set_rounds(10);
    if (adjust) adjust(spec_);
  }

  const JobHistory& history() const { return history_; }
  int64_t now_us() const { return kLogStart + static_cast<int64_t>(history_.last_sequence) * 1'000'000; }
  absl::Time now() const { return absl::FromUnixMicros(now_us()); }

  absl::Status TryAdd(v1::JobEvent event) {
    event.set_job_id("job-1");
    event.set_sequence(history_.last_sequence + 1);
    event.set_at_unix_us(now_us());
    return Fold(event, history_);
  }
  JobLogBuilder& Add(const v1::JobEvent& event) {
    const absl::Status status = TryAdd(event);
    EXPECT_TRUE(status.ok()) << status;
    return *this;
  }

  JobLogBuilder& Submit() {
    v1::JobEvent event;
    *event.mutable_submitted()->mutable_spec() = spec_;
    event.mutable_submitted()->set_team("red");
    return Add(event);
  }
  JobLogBuilder& Resolve() {
    v1::JobEvent event;
    v1::TaskSpec& task = *event.mutable_task_resolved()->mutable_task();
    task.set_name("softmax");
    task.set_operator_name("softmax");
    task.set_family("row_reduction");
    return Add(event);
  }
  JobLogBuilder& Start() {
    v1::JobEvent event;
    event.mutable_round_started()->set_round(static_cast<int>(history_.rounds.size()) + 1);
    event.mutable_round_started()->set_stage(history_.incumbent_round > 0 ? v1::REFINING : v1::DRAFTING);
    event.mutable_round_started()->set_attempt_id("job-1/" + std::to_string(history_.rounds.size() + 1));
    event.mutable_round_started()->set_start_round(history_.incumbent_round);
    return Add(event);
  }
  JobLogBuilder& Context() {
    v1::JobEvent event;
    event.mutable_context_assembled()->set_round(Open());
    event.mutable_context_assembled()->mutable_supplied()->set_retrieval_id("retrieval-" + std::to_string(Open()));
    return Add(event);
  }
  JobLogBuilder& Propose(bool candidate = true) {
    v1::JobEvent event;
    event.mutable_proposed()->set_round(Open());
    if (candidate) {
      event.mutable_proposed()->mutable_candidate()->set_digest("sha256:c");
    } else {
      event.mutable_proposed()->mutable_proposal()->set_error("no code");
    }
    return Add(event);
  }
  JobLogBuilder& Queue() {
    v1::JobEvent event;
    event.mutable_evaluation_queued()->set_round(Open());
    event.mutable_evaluation_queued()->set_assignment_id("job-1/" + std::to_string(Open()) + "/evaluate");
    return Add(event);
  }
  JobLogBuilder& Evaluate(const RoundScript& script) {
    v1::JobEvent event;
    event.mutable_evaluation_ended()->set_round(Open());
    event.mutable_evaluation_ended()->set_status(script.status);
    event.mutable_evaluation_ended()->set_latency_us(script.latency_us);
    event.mutable_evaluation_ended()->set_speedup_vs_baseline(script.speedup_vs_baseline);
    event.mutable_evaluation_ended()->set_summary("the card is gone");
    return Add(event);
  }
  JobLogBuilder& Record(const RoundScript& script) {
    v1::JobEvent event;
    v1::RoundRecorded& recorded = *event.mutable_round_recorded();
    recorded.set_round(Open());
    recorded.set_status(script.status);
    recorded.set_latency_us(script.latency_us);
    recorded.set_became_incumbent(script.incumbent);
    recorded.set_best_us(script.incumbent ? script.latency_us : history_.best_us());
    if (script.evidence && script.candidate) recorded.set_case_item_id("case-" + std::to_string(Open()));
    return Add(event);
  }
  // A whole round.
  JobLogBuilder& Round(const RoundScript& script) {
    Start().Context().Propose(script.candidate);
    if (script.candidate) Queue().Evaluate(script);
    return Record(script);
  }
  JobLogBuilder& CompleteStage(v1::Stage stage) {
    v1::JobEvent event;
    event.mutable_stage_completed()->set_stage(stage);
    return Add(event);
  }
  JobLogBuilder& ModelCall(double reserved, double money, int64_t tokens) {
    v1::JobEvent intended;
    intended.mutable_model_call_intended()->set_round(Open());
    intended.mutable_model_call_intended()->set_reserved_money(reserved);
    Add(intended);
    v1::JobEvent ended;
    ended.mutable_model_call_ended()->set_round(Open());
    ended.mutable_model_call_ended()->set_money(money);
    ended.mutable_model_call_ended()->set_prompt_tokens(tokens);
    return Add(ended);
  }
  JobLogBuilder& Extend(int rounds) {
    v1::JobEvent event;
    event.mutable_budget_extended()->mutable_extra()->set_rounds(rounds);
    return Add(event);
  }
  // Of the last round, or of the inspection before there is one.
  JobLogBuilder& Replay(const std::string& letter_id, const std::string& assignment_id) {
    v1::JobEvent event;
    event.mutable_evaluation_replayed()->set_round(Open());
    event.mutable_evaluation_replayed()->set_letter_id(letter_id);
    event.mutable_evaluation_replayed()->set_assignment_id(assignment_id);
    return Add(event);
  }
  JobLogBuilder& End(v1::JobState state) {
    v1::JobEvent event;
    event.mutable_job_ended()->set_state(state);
    return Add(event);
  }

 private:
  int Open() const { return static_cast<int>(history_.rounds.size()); }

  v1::JobSpec spec_;
  JobHistory history_;
};

}  // namespace kernelsmith::server
