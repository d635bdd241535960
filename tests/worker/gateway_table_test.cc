// The table of what a worker holds: no threads, no RPC.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "worker/gateway/assignment_table.h"

namespace kernelsmith::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

v1::Assignment Assign(const std::string& id, uint64_t epoch, v1::AssignmentAction action) {
  v1::Assignment assignment;
  assignment.set_id(id);
  assignment.set_lease_epoch(epoch);
  assignment.set_action(action);
  if (action != v1::CANCEL) assignment.mutable_evaluate();
  return assignment;
}

v1::SynchronizeResponse Answer(const std::vector<v1::Assignment>& assignments,
                               const std::vector<std::string>& acknowledged = {}) {
  v1::SynchronizeResponse answer;
  for (const auto& assignment : assignments) *answer.add_assignments() = assignment;
  for (const auto& id : acknowledged) answer.add_acknowledged(id);
  return answer;
}

Execution Passed() {
  Execution execution;
  execution.result.mutable_report()->set_status(v1::PASSED);
  return execution;
}

std::vector<std::string> Tell(const AssignmentTable& table) {
  std::vector<std::string> told;
  for (const auto& state : table.States()) {
    std::string text = absl::StrCat(state.id(), "@", state.lease_epoch(), " ", v1::AssignmentPhase_Name(state.phase()));
    if (state.phase() == v1::FINISHED) {
      absl::StrAppend(&text, " ", v1::EvaluationStatus_Name(StatusOfResult(state)));
    }
    told.push_back(text);
  }
  return told;
}

TEST(AssignmentTableTest, WorkIsAcceptedRunReportedAndForgotten) {
  AssignmentTable table;
  EXPECT_TRUE(table.Apply(Answer({Assign("x", 1, v1::RUN)})));
  EXPECT_THAT(Tell(table), ElementsAre("x@1 ACCEPTED"));
  const HeldPtr held = table.TakeToRun();
  ASSERT_NE(held, nullptr);
  EXPECT_EQ(table.TakeToRun(), nullptr);
  EXPECT_THAT(Tell(table), ElementsAre("x@1 RUNNING"));
  table.Finished(held, Passed());
  EXPECT_THAT(Tell(table), ElementsAre("x@1 FINISHED PASSED"));
  table.Apply(Answer({}, {"x"}));
  EXPECT_TRUE(table.IsIdle());
}

TEST(AssignmentTableTest, TheSameAnswerAgainChangesNothing) {
  AssignmentTable table;
  table.Apply(Answer({Assign("x", 1, v1::RUN)}));
  EXPECT_FALSE(table.Apply(Answer({Assign("x", 1, v1::RUN)})));
}

TEST(AssignmentTableTest, AResultIsRepeatedUntilItIsAcknowledged) {
  AssignmentTable table;
  table.Apply(Answer({Assign("x", 1, v1::RUN)}));
  table.Finished(table.TakeToRun(), Passed());
  table.Apply(Answer({Assign("x", 1, v1::RUN)}));
  EXPECT_THAT(Tell(table), ElementsAre("x@1 FINISHED PASSED"));
}

TEST(AssignmentTableTest, PreparedWorkRunsWhenItIsItsTurn) {
  AssignmentTable table;
  table.Apply(Answer({Assign("x", 1, v1::RUN), Assign("y", 1, v1::PREPARE)}));
  const HeldPtr y = table.TakeToPrepare();
  ASSERT_NE(y, nullptr);
  EXPECT_EQ(table.TakeToPrepare(), nullptr);
  table.Finished(table.TakeToRun(), Passed());
  EXPECT_TRUE(table.Apply(Answer({Assign("y", 1, v1::RUN)}, {"x"})));
  EXPECT_EQ(table.TakeToRun(), nullptr);  // still being prepared
  table.Prepared(y);
  EXPECT_EQ(table.TakeToRun(), y);
}

TEST(AssignmentTableTest, WhatTheCoordinatorDoesNotNameIsStoppedAndNeverReported) {
  AssignmentTable table;
  table.Apply(Answer({Assign("x", 1, v1::RUN)}));
  const HeldPtr held = table.TakeToRun();
  EXPECT_TRUE(table.Apply(Answer({})));
  EXPECT_TRUE(held->stop.stop_requested());
  EXPECT_THAT(Tell(table), IsEmpty());
  EXPECT_TRUE(table.IsRunning());
  table.Finished(held, Passed());
  EXPECT_TRUE(table.IsIdle());
}

TEST(AssignmentTableTest, ANewEpochReplacesTheOldOne) {
  AssignmentTable table;
  table.Apply(Answer({Assign("x", 1, v1::RUN)}));
  const HeldPtr old = table.TakeToRun();
  table.Apply(Answer({Assign("x", 2, v1::RUN)}));
  EXPECT_TRUE(old->stop.stop_requested());
  EXPECT_THAT(Tell(table), ElementsAre("x@2 ACCEPTED"));
  table.Finished(old, Passed());
  EXPECT_THAT(Tell(table), ElementsAre("x@2 ACCEPTED"));
}

TEST(AssignmentTableTest, CancelStopsAndReports) {
  AssignmentTable table;
  table.Apply(Answer({Assign("running", 1, v1::RUN), Assign("waiting", 1, v1::PREPARE)}));
  const HeldPtr running = table.TakeToRun();
  EXPECT_TRUE(table.Apply(Answer({Assign("running", 1, v1::CANCEL), Assign("waiting", 1, v1::CANCEL)})));
  EXPECT_TRUE(running->stop.stop_requested());
  EXPECT_THAT(Tell(table), ElementsAre("running@1 RUNNING", "waiting@1 FINISHED EVALUATION_CANCELLED"));
  Execution broken;
  broken.result.mutable_report()->set_status(v1::INFRASTRUCTURE);  // killed children look like that
  table.Finished(running, broken);
  EXPECT_THAT(Tell(table),
              ElementsAre("running@1 FINISHED EVALUATION_CANCELLED", "waiting@1 FINISHED EVALUATION_CANCELLED"));
}

TEST(AssignmentTableTest, CancelOfUnknownWorkIsReportedAsCancelled) {
  AssignmentTable table;
  table.Apply(Answer({Assign("x", 3, v1::CANCEL)}));
  EXPECT_THAT(Tell(table), ElementsAre("x@3 FINISHED EVALUATION_CANCELLED"));
}

TEST(AssignmentTableTest, CancelOfWorkBeingPreparedIsReportedWhenItStopped) {
  AssignmentTable table;
  table.Apply(Answer({Assign("x", 1, v1::PREPARE)}));
  const HeldPtr held = table.TakeToPrepare();
  table.Apply(Answer({Assign("x", 1, v1::CANCEL)}));
  EXPECT_THAT(Tell(table), ElementsAre("x@1 PREPARING"));
  table.Prepared(held);
  EXPECT_THAT(Tell(table), ElementsAre("x@1 FINISHED EVALUATION_CANCELLED"));
}

TEST(AssignmentTableTest, HandingBackStopsAllButWhatIsFinished) {
  AssignmentTable table;
  table.Apply(Answer({Assign("done", 1, v1::RUN), Assign("next", 1, v1::PREPARE)}));
  table.Finished(table.TakeToRun(), Passed());
  table.HandBackAll();
  EXPECT_THAT(Tell(table), ElementsAre("done@1 FINISHED PASSED", "next@1 FINISHED EVALUATION_CANCELLED"));
}

TEST(AssignmentTableTest, AResultWaitsForItsLogs) {
  AssignmentTable table;
  table.Apply(Answer({Assign("x", 1, v1::RUN)}));
  Execution execution = Passed();
  execution.logs.push_back({"compiler.log", "warning"});
  const HeldPtr held = table.TakeToRun();
  table.Finished(held, execution);
  EXPECT_THAT(Tell(table), ElementsAre("x@1 RUNNING"));
  ASSERT_THAT(table.WithLogs(), ElementsAre(held));
  held->logs_uploaded = 1;
  EXPECT_THAT(table.WithLogs(), IsEmpty());
  EXPECT_THAT(Tell(table), ElementsAre("x@1 FINISHED PASSED"));
}

}  // namespace
}  // namespace kernelsmith::worker
