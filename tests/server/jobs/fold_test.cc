#include <gtest/gtest.h>

#include <vector>

#include "server/jobs/job_store.h"
#include "tests/server/jobs/job_events.h"

namespace kernelsmith::server {
namespace {

// Folds the events as the store numbers them: sequence 1, 2, ..., one second each.
absl::Status Fold(std::vector<v1::JobEvent> events, v1::Job& job) {
  for (auto& event : events) {
    event.set_job_id("job-1");
    event.set_sequence(job.last_sequence() + 1);
    event.set_at_unix_us(static_cast<int64_t>(event.sequence()) * 1'000'000);
    const absl::Status applied = ApplyEvent(event, job);
    if (!applied.ok()) return applied;
  }
  return absl::OkStatus();
}

v1::Job MustFold(const std::vector<v1::JobEvent>& events) {
  v1::Job job;
  const absl::Status folded = Fold(events, job);
  EXPECT_TRUE(folded.ok()) << folded;
  return job;
}

TEST(FoldTest, SubmissionMakesAJobThatWaitsForItsTask) {
  const v1::Job job = MustFold({Submitted(7)});
  EXPECT_EQ(job.id(), "job-1");
  EXPECT_EQ(job.team(), "a");
  EXPECT_EQ(job.state(), v1::SUBMITTED);
  EXPECT_EQ(job.stage(), v1::DRAFTING);
  EXPECT_EQ(job.rounds_budget(), 7);
  EXPECT_EQ(job.submitted_unix_us(), 1'000'000);
}

TEST(FoldTest, ABudgetOfZeroRoundsMeansThirty) { EXPECT_EQ(MustFold({Submitted(0)}).rounds_budget(), 30); }

TEST(FoldTest, AResolvedTaskQueuesTheJob) {
  const v1::Job job = MustFold({Submitted(), Leased(), Resolved()});
  EXPECT_EQ(job.state(), v1::QUEUED);
  EXPECT_EQ(job.task().name(), "relu");
}

TEST(FoldTest, TheFirstRoundStartsTheClock) {
  const v1::Job job = MustFold({Submitted(), Resolved(), Started(1), Recorded(1, v1::COMPILE_ERROR), Started(2)});
  EXPECT_EQ(job.state(), v1::RUNNING_ROUND);
  EXPECT_EQ(job.started_unix_us(), 3'000'000);
  EXPECT_EQ(job.rounds_done(), 1);
  EXPECT_EQ(job.open_round().round(), 2);
}

TEST(FoldTest, ModelCallsAddTokensMoneyAndRequests) {
  const v1::Job job =
      MustFold({Submitted(), Resolved(), Started(1), Context(1), Intended(1), CallEnded(1, 100, 20, 0.5), Intended(1),
                Intended(1), CallEnded(1, 10, 2, 0.25, /*http_attempts=*/3)});
  EXPECT_EQ(job.tokens_used(), 132);
  EXPECT_DOUBLE_EQ(job.money_used(), 0.75);
  EXPECT_EQ(job.model_requests(), 5);  // three intents, one of them in doubt, and two more tries of the last call
}

TEST(FoldTest, RetriesAreCounted) {
  EXPECT_EQ(MustFold({Submitted(), Resolved(), Started(1), Queued(1), Leased(), Retried(), Leased(), Retried()})
                .evaluations_retried(),
            2);
}

TEST(FoldTest, TheFirstPassMovesToRefiningAndBecomesTheIncumbent) {
  const v1::Job job =
      MustFold({Submitted(), Resolved(), Started(1), Proposal(1, "sha256:one"), Queued(1), Leased(),
                Evaluated(1, v1::PASSED, 80, 160, 2.1), Recorded(1, v1::PASSED, 80, true), StageDone()});
  EXPECT_EQ(job.stage(), v1::REFINING);
  EXPECT_EQ(job.incumbent_round(), 1);
  EXPECT_EQ(job.first_correct_round(), 1);
  EXPECT_DOUBLE_EQ(job.first_correct_us(), 80);
  EXPECT_DOUBLE_EQ(job.best_us(), 80);
  EXPECT_DOUBLE_EQ(job.baseline_us(), 160);
  EXPECT_DOUBLE_EQ(job.speedup_vs_baseline(), 2.1);
  EXPECT_DOUBLE_EQ(job.speedup_vs_first(), 1);
  EXPECT_EQ(job.best_candidate().digest(), "sha256:one");
  EXPECT_FALSE(job.has_open_round());
}

TEST(FoldTest, OnlyANewIncumbentChangesTheBest) {
  const std::vector<v1::JobEvent> first = {Submitted(),
                                           Resolved(),
                                           Started(1),
                                           Proposal(1, "sha256:one"),
                                           Evaluated(1, v1::PASSED, 80, 160, 2),
                                           Recorded(1, v1::PASSED, 80, true),
                                           Started(2),
                                           Proposal(2, "sha256:two"),
                                           Evaluated(2, v1::PASSED, 90, 160, 1.8),
                                           Recorded(2, v1::PASSED, 90, false)};
  v1::Job job = MustFold(first);
  EXPECT_EQ(job.incumbent_round(), 1);
  EXPECT_EQ(job.best_candidate().digest(), "sha256:one");
  ASSERT_TRUE(Fold({Started(3), Proposal(3, "sha256:three"), Evaluated(3, v1::PASSED, 20, 150, 7.5),
                    Recorded(3, v1::PASSED, 20, true)},
                   job)
                  .ok());
  EXPECT_EQ(job.incumbent_round(), 3);
  EXPECT_EQ(job.best_candidate().digest(), "sha256:three");
  EXPECT_DOUBLE_EQ(job.speedup_vs_first(), 4);
  EXPECT_DOUBLE_EQ(job.speedup_vs_baseline(), 7.5);
  EXPECT_EQ(job.first_correct_round(), 1);
}

TEST(FoldTest, AnEndSetsStateReasonAndTime) {
  v1::JobEvent end = Ended(v1::EXHAUSTED, "30 rounds used");
  end.mutable_job_ended()->mutable_time_use()->set_wall_s(12);
  const v1::Job job = MustFold({Submitted(), Resolved(), Started(1), end});
  EXPECT_EQ(job.state(), v1::EXHAUSTED);
  EXPECT_EQ(job.reason(), "30 rounds used");
  EXPECT_EQ(job.ended_unix_us(), 4'000'000);
  EXPECT_DOUBLE_EQ(job.time_use().wall_s(), 12);
  EXPECT_FALSE(job.has_open_round());
}

TEST(FoldTest, MoreBudgetReopensAnEndedJobAndLeavesNoTraceOfTheEnd) {
  v1::Job job = MustFold({Submitted(1), Resolved(), Started(1), Recorded(1, v1::TIMEOUT), Ended(v1::EXHAUSTED)});
  ASSERT_TRUE(Fold({Extended(2), Started(2)}, job).ok());
  EXPECT_EQ(job.state(), v1::RUNNING_ROUND);
  EXPECT_EQ(job.rounds_budget(), 3);
  EXPECT_EQ(job.spec().budget().rounds(), 3);
  EXPECT_EQ(job.reason(), "");
  EXPECT_EQ(job.ended_unix_us(), 0);
  EXPECT_FALSE(job.has_time_use());
}

TEST(FoldTest, NoLimitStaysNoLimitWhenExtended) {
  v1::JobEvent more = Extended(1);
  more.mutable_budget_extended()->mutable_extra()->set_tokens(100);
  EXPECT_EQ(MustFold({Submitted(), more}).spec().budget().tokens(), 0);
}

TEST(FoldTest, WhatCannotFollowIsRefused) {
  struct Case {
    const char* name;
    std::vector<v1::JobEvent> before;
    v1::JobEvent event;
  };
  const std::vector<v1::JobEvent> queued = {Submitted(), Resolved()};
  const std::vector<v1::JobEvent> open = {Submitted(), Resolved(), Started(1)};
  const std::vector<v1::JobEvent> passed = {Submitted(), Resolved(), Started(1), Recorded(1, v1::PASSED, 5, true)};
  v1::JobEvent shrink;
  shrink.mutable_budget_extended()->mutable_extra()->set_rounds(-1);
  const std::vector<Case> cases = {
      {"nothing submitted", {}, Resolved()},
      {"submitted twice", {Submitted()}, Submitted()},
      {"resolved twice", queued, Resolved()},
      {"round before its task", {Submitted()}, Started(1)},
      {"round skipped", queued, Started(2)},
      {"round zero", queued, Started(0)},
      {"round while one is open", open, Started(2)},
      {"context of no round", queued, Context(1)},
      {"context of another round", open, Context(2)},
      {"intent of no round", queued, Intended(1)},
      {"reply of another round", open, CallEnded(2, 1, 1, 0)},
      {"proposal of another round", open, Proposal(2)},
      {"queued in another round", open, Queued(2)},
      {"evaluation of no round", queued, Evaluated(1, v1::PASSED)},
      {"record of another round", open, Recorded(2, v1::PASSED)},
      {"round recorded twice", passed, Recorded(1, v1::PASSED)},
      {"incumbent that failed", open, Recorded(1, v1::TIMEOUT, 3, true)},
      {"success without incumbent", open, Ended(v1::SUCCEEDED)},
      {"exhausted with an incumbent", passed, Ended(v1::EXHAUSTED)},
      {"end without final state", open, Ended(v1::QUEUED)},
      {"round after the end", {Submitted(), Resolved(), Ended(v1::CANCELLED)}, Started(1)},
      {"ended twice", {Submitted(), Ended(v1::FAILED)}, Ended(v1::FAILED)},
      {"more budget after cancellation", {Submitted(), Ended(v1::CANCELLED)}, Extended(1)},
      {"more budget after failure", {Submitted(), Ended(v1::FAILED)}, Extended(1)},
      {"less budget", queued, shrink},
      {"replay in a job that runs", open, Replayed(1)},
      {"replay after cancellation", {Submitted(), Ended(v1::CANCELLED)}, Replayed(0)},
      {"inspection replayed after it was done", {Submitted(), Resolved(), Ended(v1::FAILED)}, Replayed(0)},
      {"replay of a round that is not the last", {Submitted(), Resolved(), Ended(v1::FAILED)}, Replayed(2)},
      {"progress in the log", open, ProgressMade("compiling")},
      {"nothing inside", open, v1::JobEvent()},
  };
  for (const auto& c : cases) {
    v1::Job job;
    ASSERT_TRUE(Fold(c.before, job).ok()) << c.name;
    EXPECT_EQ(Fold({c.event}, job).code(), absl::StatusCode::kInternal) << c.name;
  }
}

TEST(FoldTest, AReplayOpensTheLastRoundAgainAndCountsItOnce) {
  const std::vector<v1::JobEvent> failed = {Submitted(),
                                            Resolved(),
                                            Started(1),
                                            Proposal(1),
                                            Evaluated(1, v1::INFRASTRUCTURE),
                                            Recorded(1, v1::INFRASTRUCTURE),
                                            Ended(v1::FAILED)};
  v1::Job job;
  ASSERT_TRUE(Fold(failed, job).ok());
  ASSERT_EQ(job.rounds_done(), 1);
  ASSERT_TRUE(Fold({Replayed(1)}, job).ok());
  EXPECT_EQ(job.state(), v1::RUNNING_ROUND);
  EXPECT_EQ(job.rounds_done(), 0);
  EXPECT_EQ(job.open_round().round(), 1);
  EXPECT_EQ(job.reason(), "");
  EXPECT_EQ(job.ended_unix_us(), 0);
  ASSERT_TRUE(Fold({Evaluated(1, v1::PASSED, 7), Recorded(1, v1::PASSED, 7, true)}, job).ok());
  EXPECT_EQ(job.rounds_done(), 1);
  EXPECT_EQ(job.best_us(), 7);
  EXPECT_EQ(job.best_candidate().digest(), "sha256:c");
}

TEST(FoldTest, AReplayedInspectionBringsTheJobBackToItsBeginning) {
  v1::Job job;
  ASSERT_TRUE(Fold({Submitted(), Ended(v1::FAILED), Replayed(0)}, job).ok());
  EXPECT_EQ(job.state(), v1::SUBMITTED);
  EXPECT_TRUE(Fold({Resolved()}, job).ok());
}

TEST(FoldTest, AGapInTheSequenceOrAnotherJobsEventIsRefused) {
  v1::Job job = MustFold({Submitted()});
  v1::JobEvent event = Resolved();
  event.set_job_id("job-1");
  event.set_sequence(3);
  EXPECT_EQ(ApplyEvent(event, job).code(), absl::StatusCode::kInternal);
  event.set_sequence(2);
  event.set_job_id("job-2");
  EXPECT_EQ(ApplyEvent(event, job).code(), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace kernelsmith::server
