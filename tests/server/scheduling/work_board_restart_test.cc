// Restarts, cancellation, hand-back and drain.
#include "tests/server/scheduling/work_board_fixture.h"

namespace kernelsmith::server {
namespace {

TEST_F(WorkBoardTest, AfterARestartTheWorkerThatReportsKeepsItsWork) {
  Submit(Item("x"));
  Report(From("w1"));
  Restart();
  ASSERT_TRUE(board_->Submit(Item("x"), now_).ok());
  Advance(absl::Seconds(9));  // within the grace: nothing is lost
  auto request = From("w1");
  Add(request, "x", 1, v1::RUNNING);
  EXPECT_THAT(Told(Report(request)), ElementsAre("RUN x@1"));
  EXPECT_THAT(Report(Finished(From("w1"), "x", 1, v1::PASSED)).acknowledged(), ElementsAre("x"));
  EXPECT_EQ(board_->Find("x")->failures, 0);
}

TEST_F(WorkBoardTest, AfterARestartWorkThatWasNeverDeliveredIsDelivered) {
  Submit(Item("x"));
  Report(From("w1"));
  Restart();
  ASSERT_TRUE(board_->Submit(Item("x"), now_).ok());
  EXPECT_THAT(Told(Report(From("w1"))), ElementsAre("RUN x@1"));
}

TEST_F(WorkBoardTest, AfterTheGraceWorkOfAWorkerThatStaysAwayIsLost) {
  Submit(Item("x"));
  Report(From("w1"));
  Restart();
  ASSERT_TRUE(board_->Submit(Item("x"), now_).ok());
  Advance(absl::Seconds(11));
  Advance(absl::Seconds(2));
  EXPECT_EQ(board_->Find("x")->failures, 1);
  EXPECT_THAT(Told(Report(From("w2"))), ElementsAre("RUN x@2"));
}

TEST_F(WorkBoardTest, AResultFromBeforeARestartIsThereForTheCallerThatComesBack) {
  Submit(Item("x"));
  Report(From("w1"));
  Report(Finished(From("w1"), "x", 1, v1::PASSED));
  Restart();
  ASSERT_TRUE(board_->Submit(Item("x"), now_).ok());
  EXPECT_EQ(board_->Find("x")->state, Work::State::kFinished);
  EXPECT_EQ(StatusOf(board_->Find("x")->result), v1::PASSED);
  EXPECT_THAT(Report(Finished(From("w1"), "x", 1, v1::PASSED)).acknowledged(), ElementsAre("x"));
}

TEST_F(WorkBoardTest, AResultIsTakenAfterARestartEvenBeforeTheCallerComesBack) {
  Submit(Item("x"));
  Report(From("w1"));
  Restart();
  EXPECT_THAT(Report(Finished(From("w1"), "x", 1, v1::PASSED)).acknowledged(), ElementsAre("x"));
  ASSERT_TRUE(board_->Submit(Item("x"), now_).ok());
  EXPECT_EQ(board_->Find("x")->state, Work::State::kFinished);
}

TEST_F(WorkBoardTest, AfterARestartLostWorkWaitsForItsCaller) {
  Submit(Item("x"));
  Report(From("w1"));
  Restart();
  Advance(absl::Seconds(30));
  Advance(absl::Seconds(2));
  EXPECT_TRUE(Told(Report(From("w2"))).empty());
  Submit(Item("x"));
  EXPECT_EQ(board_->Find("x")->worker_id, "w2");
  EXPECT_EQ(board_->Find("x")->failures, 1);  // the count survives restarts
}

TEST_F(WorkBoardTest, AfterARestartPreparedWorkThatWasPromotedStaysRunning) {
  Submit(Item("x"));
  Submit(Item("y"));
  Report(From("w1"));
  Report(Finished(From("w1"), "x", 1, v1::PASSED));
  Restart();
  ASSERT_TRUE(board_->Submit(Item("y"), now_).ok());
  auto request = From("w1");
  Add(request, "y", 1, v1::RUNNING);
  EXPECT_THAT(Told(Report(request)), ElementsAre("RUN y@1"));
}

TEST_F(WorkBoardTest, RevisionsGrowOverRestarts) {
  const uint64_t before = Report(From("w1")).revision();
  now_ += absl::Milliseconds(1);
  Restart();
  EXPECT_GT(Report(From("w1")).revision(), before);
}

TEST_F(WorkBoardTest, CancelledWaitingWorkIsGone) {
  Submit(Item("x"));
  board_->Cancel("x", now_);
  Advance();
  EXPECT_EQ(board_->Find("x"), nullptr);
  EXPECT_TRUE(Told(Report(From("w1"))).empty());
}

TEST_F(WorkBoardTest, CancelledRunningWorkHoldsTheCardUntilItLetsGo) {
  Submit(Item("x"));
  Report(From("w1"));
  board_->Cancel("x", now_);
  Submit(Item("y"));
  auto request = From("w1");
  Add(request, "x", 1, v1::RUNNING);
  EXPECT_THAT(Told(Report(request)), ElementsAre("CANCEL x@1", "PREPARE y@1"));
  EXPECT_EQ(disk_.count("x"), 0u);
  EXPECT_THAT(Told(Report(Finished(From("w1"), "x", 1, v1::EVALUATION_CANCELLED))), ElementsAre("RUN y@1"));
  EXPECT_EQ(board_->Find("x"), nullptr);
}

TEST_F(WorkBoardTest, CancellingWorkWhoseLeaseIsNotOnDiskForgetsIt) {
  Report(From("w1"));
  ASSERT_TRUE(board_->Submit(Item("x"), now_).ok());
  board_->Advance(now_);
  board_->Cancel("x", now_);
  Flush();
  EXPECT_EQ(board_->Find("x"), nullptr);
  EXPECT_TRUE(disk_.empty());
}

TEST_F(WorkBoardTest, WorkHandedBackIsNotAFailure) {
  Submit(Item("x"));
  Report(From("w1"));
  auto request = Finished(From("w1"), "x", 1, v1::EVALUATION_CANCELLED);
  request.set_draining(true);
  EXPECT_THAT(Report(request).acknowledged(), ElementsAre("x"));
  EXPECT_EQ(board_->Find("x")->failures, 0);
  EXPECT_THAT(Told(Report(From("w2"))), ElementsAre("RUN x@2"));
}

TEST_F(WorkBoardTest, ADrainingCardFinishesWhatRunsAndGivesBackWhatItPrepared) {
  Submit(Item("x"));
  Submit(Item("y"));
  Report(From("w1"));
  ASSERT_TRUE(board_->SetDrain("w1", true, now_).ok());
  Advance();
  auto request = From("w1");
  Add(request, "x", 1, v1::RUNNING);
  Add(request, "y", 1, v1::PREPARED);
  const auto answer = Report(request);
  EXPECT_TRUE(answer.drain());
  EXPECT_THAT(Told(answer), ElementsAre("RUN x@1"));
  Report(Finished(From("w1"), "x", 1, v1::PASSED));
  EXPECT_TRUE(Told(Report(From("w1"))).empty());
  ASSERT_TRUE(board_->SetDrain("w1", false, now_).ok());
  EXPECT_THAT(Told(Report(From("w1"))), ElementsAre("RUN y@2"));
  EXPECT_EQ(board_->Find("y")->failures, 0);
}

TEST_F(WorkBoardTest, DrainingAnUnknownWorkerIsNotFound) {
  EXPECT_EQ(board_->SetDrain("w9", true, now_).code(), absl::StatusCode::kNotFound);
}

TEST_F(WorkBoardTest, ACardThatKeepsFailingIsTakenOutAndComesBack) {
  for (int i = 0; i < 3; ++i) {
    Submit(Item(absl::StrCat("x", i)));
    const auto told = Report(From("w1"));
    for (const auto& a : told.assignments()) {
      Report(Finished(From("w1"), a.id(), a.lease_epoch(), v1::INFRASTRUCTURE));
    }
  }
  EXPECT_EQ(board_->counters().quarantines, 1);
  now_ += absl::Seconds(5);
  EXPECT_TRUE(Told(Report(From("w1"))).empty());
  EXPECT_EQ(board_->Cards(now_)[0].state().health(), v1::QUARANTINED);
  EXPECT_THAT(TellNotices("x0").back(), HasSubstr("w1 is in quarantine until 14:02:30 UTC"));
  now_ += absl::Seconds(26);
  const auto told = Report(From("w1"));
  ASSERT_GE(told.assignments_size(), 1);
  Report(Finished(From("w1"), told.assignments(0).id(), told.assignments(0).lease_epoch(), v1::PASSED));
  EXPECT_EQ(board_->Cards(now_)[0].consecutive_failures(), 0);
}

}  // namespace
}  // namespace kernelsmith::server
