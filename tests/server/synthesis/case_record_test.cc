#include "server/synthesis/case_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/synthesis/job_log_builder.h"

namespace kernelsmith::server {
namespace {

using testing::HasSubstr;

TEST(CaseRecord, HoldsWhatWasTriedAndHowItWent) {
  JobLogBuilder log;
  log.Submit().Resolve().Round({.status = v1::PASSED, .latency_us = 100, .incumbent = true});
  log.CompleteStage(v1::DRAFTING).Start().Context().Propose().Queue();
  log.Evaluate({.status = v1::PASSED, .latency_us = 50});
  PastRound before;
  before.round = 1;
  before.candidate.add_files()->set_content("old");
  PastRound attempt;
  attempt.round = 2;
  attempt.candidate.add_files()->set_content("new");
  attempt.proposal.mutable_author()->set_kind("catalog");
  attempt.proposal.mutable_thought()->set_id("threads");
  attempt.proposal.mutable_thought()->set_title("More threads");
  (*attempt.proposal.mutable_thought()->mutable_parameters())["threads"] = "2";
  attempt.proposal.set_hypothesis("two cores share the rows");
  attempt.report.set_status(v1::PASSED);
  attempt.report.set_latency_us(50);
  attempt.report.add_timings()->mutable_candidate()->set_clock(v1::PARENT);
  for (int i = 0; i < 25; ++i) attempt.report.add_diagnostics()->set_text("warning");

  const RoundState& round = log.history().rounds.back();
  const v1::RecordAttemptRequest request = BuildCaseRecord(
      {.history = log.history(), .round = round, .attempt = attempt, .predecessor = &before, .became_incumbent = true},
      "coordinator-1");
  EXPECT_EQ(request.attempt_id(), "job-1/2");
  EXPECT_EQ(request.prev_attempt_id(), "job-1/1");
  EXPECT_EQ(request.recorded_at_unix_us(), round.evaluated_unix_us);
  EXPECT_EQ(request.author().kind(), "catalog");
  const v1::Case& record = request.case_();
  EXPECT_EQ(record.operator_name(), "softmax");
  EXPECT_EQ(record.code_before(), "old");
  EXPECT_EQ(record.code_after(), "new");
  EXPECT_EQ(record.purpose(), v1::SPEED);
  EXPECT_EQ(record.speedup(), 2);
  EXPECT_EQ(record.clock(), v1::PARENT);
  EXPECT_EQ(record.diagnostics_size(), 20);
  EXPECT_EQ(record.session(), "job-1");
  EXPECT_EQ(record.step(), 2);
  EXPECT_EQ(record.stage(), v1::REFINING);
  EXPECT_TRUE(record.hypothesis_confirmed());
  EXPECT_THAT(request.journal().strategy(), HasSubstr("two cores share the rows"));
  EXPECT_THAT(request.journal().change(), HasSubstr("threads = 2"));
  EXPECT_THAT(request.journal().measurements(), HasSubstr("50.000 us"));
  EXPECT_THAT(request.journal().interpretation(), HasSubstr("faster than the incumbent"));
}

TEST(CaseRecord, NamesNoPredecessorThatMemoryDoesNotKnow) {
  JobLogBuilder log;
  log.Submit().Resolve().Round({.status = v1::PASSED, .latency_us = 100, .incumbent = true, .evidence = false});
  log.CompleteStage(v1::DRAFTING).Start().Context().Propose().Queue().Evaluate({.status = v1::RUNTIME_ERROR});
  PastRound attempt;
  attempt.report.set_status(v1::RUNTIME_ERROR);
  const v1::RecordAttemptRequest request = BuildCaseRecord(
      {.history = log.history(), .round = log.history().rounds.back(), .attempt = attempt, .predecessor = nullptr},
      "coordinator-1");
  EXPECT_EQ(request.prev_attempt_id(), "");
  EXPECT_EQ(request.case_().speedup(), 0);
  EXPECT_THAT(request.journal().interpretation(), HasSubstr("Not correct"));
}

}  // namespace
}  // namespace kernelsmith::server
