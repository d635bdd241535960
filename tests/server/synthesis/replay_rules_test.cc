#include "server/synthesis/replay_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/synthesis/next_step.h"
#include "tests/server/synthesis/job_log_builder.h"

namespace kernelsmith::server {
namespace {

using testing::HasSubstr;

constexpr RoundScript kRight = {.status = v1::PASSED, .latency_us = 100, .incumbent = true};
constexpr RoundScript kLost = {.status = v1::INFRASTRUCTURE, .evidence = false};

// One right round, two lost ones.
JobLogBuilder Failed() {
  JobLogBuilder log;
  log.Submit().Resolve().Round(kRight).CompleteStage(v1::DRAFTING).Round(kLost).Round(kLost).End(v1::FAILED);
  return log;
}

TEST(Replay, TakesUpTheLastRoundUnderANewAssignment) {
  JobLogBuilder log = Failed();
  const auto replayed = ReplayOf("job-1/3/evaluate", log.history());
  ASSERT_TRUE(replayed.ok()) << replayed.status();
  EXPECT_EQ(replayed->round(), 3);
  EXPECT_EQ(replayed->assignment_id(), "job-1/3/evaluate/replay-1");
  EXPECT_EQ(replayed->candidate().digest(), "sha256:c");

  log.Replay(replayed->letter_id(), replayed->assignment_id());
  const Step step = NextStep(log.history(), log.now());
  EXPECT_EQ(step.kind, StepKind::kEvaluate);
  EXPECT_EQ(step.round, 3);
  EXPECT_EQ(log.history().rounds_recorded(), 2);
  EXPECT_TRUE(log.history().replayed_letters.contains("job-1/3/evaluate"));
}

TEST(Replay, ForgivesWhatWasLostBeforeAndNotTheSameRoundAgain) {
  JobLogBuilder log = Failed();
  log.Replay("job-1/3/evaluate", "job-1/3/evaluate/replay-1");
  JobLogBuilder again = log;
  again.Evaluate(kLost).Record(kLost);
  EXPECT_EQ(NextStep(again.history(), again.now()).ending.state, v1::FAILED);
  again.End(v1::FAILED);
  EXPECT_EQ(ReplayOf("job-1/3/evaluate/replay-1", again.history())->assignment_id(), "job-1/3/evaluate/replay-2");

  log.Evaluate(kRight).Record({.status = v1::PASSED, .latency_us = 120}).Round(kLost);
  EXPECT_EQ(NextStep(log.history(), log.now()).kind, StepKind::kStartRound);
}

TEST(Replay, TakesUpALostInspection) {
  JobLogBuilder log;
  log.Submit().End(v1::FAILED);
  const auto replayed = ReplayOf("job-1/inspect", log.history());
  ASSERT_TRUE(replayed.ok()) << replayed.status();
  EXPECT_EQ(replayed->round(), 0);
  log.Replay(replayed->letter_id(), replayed->assignment_id());
  EXPECT_EQ(log.history().inspection_id, "job-1/inspect/replay-1");
  EXPECT_EQ(NextStep(log.history(), log.now()).kind, StepKind::kResolveTask);
  log.End(v1::FAILED);
  EXPECT_FALSE(ReplayOf("job-1/inspect", log.history()).ok());
  EXPECT_EQ(ReplayOf("job-1/inspect/replay-1", log.history())->assignment_id(), "job-1/inspect/replay-2");
}

TEST(Replay, IsRefusedWhenNothingWaitsForTheLetter) {
  struct Case {
    const char* name;
    JobLogBuilder log;
    const char* says;
  };
  JobLogBuilder running, succeeded, cancelled, otherwise;
  running.Submit().Resolve().Round(kLost);
  succeeded.Submit().Resolve().Round(kRight).Round(kLost).End(v1::SUCCEEDED);
  cancelled.Submit().Resolve().Round(kLost).End(v1::CANCELLED);
  otherwise.Submit().Resolve().Round(kLost).End(v1::FAILED);
  const std::vector<Case> cases = {{"the job runs", running, "goes on without it"},
                                   {"the job succeeded", succeeded, "kernelsmith extend job-1"},
                                   {"the job was cancelled", cancelled, "submit it anew"},
                                   {"the job failed for another reason", otherwise, "another reason"},
                                   {"another round was the last", Failed(), "replay that of its last round"}};
  for (const Case& c : cases) {
    const absl::Status status = ReplayOf("job-1/1/evaluate", c.log.history()).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << c.name;
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.says)) << c.name;
  }
}

TEST(Replay, CannotFollowJustAnything) {
  JobLogBuilder log;
  log.Submit().Resolve().Round(kRight);
  v1::JobEvent event;
  event.mutable_evaluation_replayed()->set_round(1);
  EXPECT_EQ(log.TryAdd(event).code(), absl::StatusCode::kInternal);  // it runs
  log.End(v1::FAILED);
  EXPECT_EQ(log.TryAdd(event).code(), absl::StatusCode::kInternal);  // the round was not lost
  event.mutable_evaluation_replayed()->set_round(0);
  EXPECT_EQ(log.TryAdd(event).code(), absl::StatusCode::kInternal);  // the task is resolved
}

}  // namespace
}  // namespace kernelsmith::server
