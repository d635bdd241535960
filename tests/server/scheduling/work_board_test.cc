// Leases, results and retries.
#include "tests/server/scheduling/work_board_fixture.h"

namespace kernelsmith::server {
namespace {

TEST_F(WorkBoardTest, AnIdleCardGetsWorkToRunAndABusyOneWorkToPrepare) {
  Submit(Item("x"));
  Submit(Item("y"));
  Submit(Item("z"));
  EXPECT_THAT(Told(Report(From("w1"))), ElementsAre("RUN x@1", "PREPARE y@1"));
  EXPECT_EQ(board_->Find("z")->state, Work::State::kWaiting);
}

TEST_F(WorkBoardTest, PreparedWorkRunsWithoutANewLeaseWhenTheCardIsFree) {
  Submit(Item("x"));
  Submit(Item("y"));
  Report(From("w1"));
  const auto answer = Report(Finished(From("w1"), "x", 1, v1::PASSED));
  EXPECT_THAT(Told(answer), ElementsAre("RUN y@1"));
  EXPECT_THAT(answer.acknowledged(), ElementsAre("x"));
  EXPECT_EQ(board_->Find("x")->state, Work::State::kFinished);
}

TEST_F(WorkBoardTest, ALeaseIsOnDiskBeforeTheWorkerHearsOfIt) {
  ASSERT_TRUE(board_->Submit(Item("x"), now_).ok());
  const auto request = From("w1");
  ASSERT_TRUE(board_->Report(request, now_).ok());
  board_->Advance(now_);
  EXPECT_EQ(board_->Find("x")->state, Work::State::kLeased);
  EXPECT_TRUE(Told(board_->Desired(request)).empty());
  Flush();
  EXPECT_EQ(disk_.at("x").lease_epoch(), 1u);
  EXPECT_EQ(disk_.at("x").worker_id(), "w1");
  EXPECT_THAT(Told(board_->Desired(request)), ElementsAre("RUN x@1"));
}

TEST_F(WorkBoardTest, AResultIsOnDiskBeforeItIsAcknowledged) {
  Submit(Item("x"));
  Report(From("w1"));
  const auto request = Finished(From("w1"), "x", 1, v1::PASSED);
  ASSERT_TRUE(board_->Report(request, now_).ok());
  board_->Advance(now_);
  EXPECT_EQ(board_->Desired(request).acknowledged_size(), 0);
  Flush();
  EXPECT_TRUE(disk_.at("x").has_result());
  EXPECT_THAT(board_->Desired(request).acknowledged(), ElementsAre("x"));
}

TEST_F(WorkBoardTest, AWriteThatFailedIsTriedAgain) {
  ASSERT_TRUE(board_->Submit(Item("x"), now_).ok());
  const auto request = From("w1");
  ASSERT_TRUE(board_->Report(request, now_).ok());
  board_->Advance(now_);
  board_->MarkDirty(board_->TakeDirty());
  EXPECT_TRUE(board_->HasDirty());
  EXPECT_TRUE(Told(board_->Desired(request)).empty());
  Flush();
  EXPECT_THAT(Told(board_->Desired(request)), ElementsAre("RUN x@1"));
}

TEST_F(WorkBoardTest, ARepeatedResultIsAcknowledgedAgainAndCountedOnce) {
  Submit(Item("x"));
  Report(From("w1"));
  Report(Finished(From("w1"), "x", 1, v1::PASSED));
  EXPECT_THAT(Report(Finished(From("w1"), "x", 1, v1::PASSED)).acknowledged(), ElementsAre("x"));
  EXPECT_EQ(board_->counters().stale_results, 0);
}

TEST_F(WorkBoardTest, HeartbeatsKeepALease) {
  Submit(Item("x"));
  auto told = Report(From("w1"));
  for (int i = 0; i < 20; ++i) {
    now_ += absl::Seconds(2);
    told = Beat("w1", told);
  }
  EXPECT_THAT(Told(told), ElementsAre("RUN x@1"));
}

TEST_F(WorkBoardTest, ALostLeaseIsRetriedElsewhereUnderANewEpoch) {
  Submit(Item("x"));
  Report(From("w1"));
  Advance(absl::Seconds(11));
  EXPECT_EQ(board_->Find("x")->failures, 1);
  EXPECT_EQ(board_->counters().lease_losses, 1);
  now_ += absl::Seconds(2);
  Report(From("w1"));                             // back, idle, but it lost the work before
  EXPECT_EQ(board_->Find("x")->worker_id, "w1");  // the only card: better than none
  Advance(absl::Seconds(11));
  now_ += absl::Seconds(2);
  board_->TakeNotices("x");
  EXPECT_THAT(Told(Report(From("w2"))), ElementsAre("RUN x@3"));
}

TEST_F(WorkBoardTest, WorkAvoidsTheCardThatFailedItIfThereIsAnother) {
  Report(From("w1"));
  Report(From("w2"));
  Submit(Item("x"));
  EXPECT_EQ(board_->Find("x")->worker_id, "w1");
  Report(Finished(From("w1"), "x", 1, v1::INFRASTRUCTURE));
  now_ += absl::Seconds(2);
  Report(From("w1"));
  Report(From("w2"));
  EXPECT_EQ(board_->Find("x")->worker_id, "w2");
}

TEST_F(WorkBoardTest, AResultUnderAnOldEpochIsRefused) {
  Submit(Item("x"));
  Report(From("w1"));
  Advance(absl::Seconds(13));
  Advance(absl::Seconds(2));
  EXPECT_THAT(Told(Report(From("w2"))), ElementsAre("RUN x@2"));
  const auto late = Finished(From("w1"), "x", 1, v1::PASSED);
  const auto answer = Report(late);
  EXPECT_EQ(board_->Find("x")->state, Work::State::kLeased);
  EXPECT_EQ(board_->Find("x")->worker_id, "w2");
  EXPECT_EQ(board_->counters().stale_results, 1);
  EXPECT_TRUE(Told(answer).empty());  // it is told to drop it
  EXPECT_TRUE(board_->IsNews(late, answer));
}

TEST_F(WorkBoardTest, BackoffDelaysTheNextTry) {
  Submit(Item("x"));
  Report(From("w1"));
  const auto answer = Report(Finished(From("w1"), "x", 1, v1::INFRASTRUCTURE));
  EXPECT_THAT(answer.acknowledged(), ElementsAre("x"));
  EXPECT_TRUE(Told(answer).empty());
  now_ += absl::Seconds(1);
  EXPECT_THAT(Told(Report(From("w1"))), ElementsAre("RUN x@2"));
}

TEST_F(WorkBoardTest, WhoWaitsForTheNextTryIsToldWhyAndWhichItIs) {
  Submit(Item("x"));
  Report(From("w1"));
  Report(Finished(From("w1"), "x", 1, v1::INFRASTRUCTURE));
  EXPECT_THAT(board_->Find("x")->waiting_text,
              testing::AllOf(testing::HasSubstr("try 2 of 5 at"), testing::HasSubstr("after: w1: as told")));
}

TEST(BoardRulesTest, TheTriesOnAnOverloadedHostAreSpreadOverHalfAMinute) {
  const BoardRules rules;
  absl::BitGen random;
  absl::Duration pauses;
  for (int failure = 1; failure < rules.max_failures; ++failure) {
    pauses += common::BackoffDelay(rules.backoff, failure, random);
  }
  EXPECT_GE(pauses, absl::Seconds(20));
  EXPECT_LE(pauses, absl::Seconds(40));
}

TEST_F(WorkBoardTest, TooManyFailuresMakeADeadLetterThatKeepsTheLastResult) {
  Submit(Item("x"));
  for (uint64_t i = 1; i <= 5; ++i) {
    // A healthy success between, so that the card stays in.
    Submit(Item(absl::StrCat("ok", i), "b", 1));
    now_ += absl::Seconds(40);
    auto told = Report(From("w1"));
    for (const auto& a : told.assignments()) {
      Report(Finished(From("w1"), a.id(), a.lease_epoch(), a.id() == "x" ? v1::INFRASTRUCTURE : v1::PASSED));
    }
    now_ += absl::Seconds(2);
    told = Report(From("w1"));
    for (const auto& a : told.assignments()) {
      if (a.id() == "x" && board_->Find("x")->failures < static_cast<int>(i)) {
        Report(Finished(From("w1"), "x", a.lease_epoch(), v1::INFRASTRUCTURE));
      }
    }
  }
  const Work& work = *board_->Find("x");
  EXPECT_EQ(work.state, Work::State::kFinished);
  EXPECT_TRUE(work.dead_letter);
  EXPECT_EQ(work.failures, 5);
  EXPECT_EQ(StatusOf(work.result), v1::INFRASTRUCTURE);
  EXPECT_EQ(work.failure, "w1: as told");
  EXPECT_TRUE(disk_.at("x").dead_letter());
  EXPECT_EQ(board_->counters().dead_letters, 1);
}

TEST_F(WorkBoardTest, LostLeasesAloneReachTheCapWithAResultOfTheirOwn) {
  WorkItem item = Item("x");
  item.work.mutable_inspect();
  Submit(item);
  for (int i = 0; i < 5; ++i) {
    Report(From(absl::StrCat("w", i)));
    Advance(absl::Seconds(11));
    Advance(absl::Seconds(2));
  }
  const Work& work = *board_->Find("x");
  ASSERT_EQ(work.state, Work::State::kFinished);
  EXPECT_EQ(work.result.inspected().status(), v1::INFRASTRUCTURE);
  EXPECT_THAT(work.result.inspected().error(), HasSubstr("the lease of worker w4 ran out"));
}

TEST_F(WorkBoardTest, ANewProcessOfTheWorkerLostWhatTheOldOneHad) {
  Submit(Item("x"));
  Report(From("w1", "i1"));
  Report(From("w1", "i2"));
  EXPECT_EQ(board_->Find("x")->state, Work::State::kWaiting);
  EXPECT_EQ(board_->Find("x")->failure, "worker w1 was restarted");
  now_ += absl::Seconds(1);
  EXPECT_THAT(Told(Report(From("w1", "i2"))), ElementsAre("RUN x@2"));
}

TEST_F(WorkBoardTest, ANewProcessThatReportsTheWorkKeepsIt) {
  Submit(Item("x"));
  Report(From("w1", "i1"));
  auto request = From("w1", "i2");
  Add(request, "x", 1, v1::RUNNING);
  EXPECT_THAT(Told(Report(request)), ElementsAre("RUN x@1"));
  EXPECT_EQ(board_->Find("x")->failures, 0);
}

TEST_F(WorkBoardTest, AProcessThatWasReplacedIsRefused) {
  Report(From("w1", "i1"));
  Report(From("w1", "i2"));
  EXPECT_EQ(board_->Report(From("w1", "i1"), now_).code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(WorkBoardTest, ReportsWithoutIdentityAreRefusedByField) {
  auto request = From("w1");
  request.clear_worker_id();
  EXPECT_EQ(common::FieldOf(board_->Report(request, now_)), "worker_id");
  request = From("w1");
  request.clear_instance();
  EXPECT_EQ(common::FieldOf(board_->Report(request, now_)), "instance");
  request = From("w1");
  request.mutable_card()->clear_kind();
  EXPECT_EQ(common::FieldOf(board_->Report(request, now_)), "card.kind");
}

}  // namespace
}  // namespace kernelsmith::server
