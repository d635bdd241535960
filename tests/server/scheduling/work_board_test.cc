// Every scheduling rule, without disk, threads or a real clock.
#include "server/scheduling/work_board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/random/random.h"
#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace kernelsmith::server {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Drives a board as the queue does, with a disk that works at once.
class WorkBoardTest : public ::testing::Test {
 protected:
  WorkBoardTest() { Restart(); }

  BoardRules Rules() {
    BoardRules rules;
    rules.backoff.initial = absl::Seconds(1);
    rules.backoff.cap = absl::Seconds(1);
    return rules;
  }

  // A new process: what is on disk is restored.
  void Restart() {
    board_ = std::make_unique<WorkBoard>(Rules(), static_cast<uint64_t>(absl::ToUnixMicros(now_)), random_);
    for (const auto& [id, record] : disk_) board_->Restore(record, now_);
  }

  void Flush() {
    while (board_->HasDirty()) {
      const auto records = board_->TakeDirty();
      for (const auto& [id, record] : records) {
        if (record) {
          disk_[id] = *record;
        } else {
          disk_.erase(id);
        }
      }
      board_->MarkDurable(records);
    }
  }

  void Advance(absl::Duration by = absl::ZeroDuration()) {
    now_ += by;
    board_->Advance(now_);
    Flush();
  }

  static WorkItem Item(const std::string& id, const std::string& team = "a", int priority = 0) {
    WorkItem item;
    item.assignment_id = id;
    item.team = team;
    item.job_id = "job-of-" + id;
    item.priority = priority;
    item.card_kind = "cpu";
    item.work.mutable_evaluate();
    return item;
  }
  void Submit(const WorkItem& item) {
    const absl::Status status = board_->Submit(item, now_);
    ASSERT_TRUE(status.ok()) << status;
    Advance();
  }

  static v1::SynchronizeRequest From(const std::string& worker, const std::string& instance = "i1") {
    v1::SynchronizeRequest request;
    request.set_worker_id(worker);
    request.set_instance(instance);
    request.mutable_card()->set_kind("cpu");
    request.mutable_card()->set_health(v1::HEALTHY);
    return request;
  }
  static v1::AssignmentState& Add(v1::SynchronizeRequest& request, const std::string& id, uint64_t epoch,
                                  v1::AssignmentPhase phase) {
    auto& state = *request.add_assignments();
    state.set_id(id);
    state.set_lease_epoch(epoch);
    state.set_phase(phase);
    return state;
  }
  static v1::SynchronizeRequest Finished(v1::SynchronizeRequest request, const std::string& id, uint64_t epoch,
                                         v1::EvaluationStatus status) {
    auto& report = *Add(request, id, epoch, v1::FINISHED).mutable_report();
    report.set_status(status);
    report.set_summary("as told");
    return request;
  }
  v1::SynchronizeResponse Report(const v1::SynchronizeRequest& request) {
    const absl::Status status = board_->Report(request, now_);
    EXPECT_TRUE(status.ok()) << status;
    Advance();
    return board_->Desired(request);
  }
  // A worker that repeats what it was told last.
  v1::SynchronizeResponse Beat(const std::string& worker, const v1::SynchronizeResponse& told) {
    v1::SynchronizeRequest request = From(worker);
    for (const auto& a : told.assignments()) Add(request, a.id(), a.lease_epoch(), v1::RUNNING);
    return Report(request);
  }

  static std::vector<std::string> Told(const v1::SynchronizeResponse& answer) {
    std::vector<std::string> told;
    for (const auto& a : answer.assignments()) {
      told.push_back(absl::StrCat(v1::AssignmentAction_Name(a.action()), " ", a.id(), "@", a.lease_epoch()));
    }
    return told;
  }
  std::vector<std::string> TellNotices(const std::string& id) {
    std::vector<std::string> texts;
    for (const auto& notice : board_->TakeNotices(id)) texts.push_back(notice.text);
    return texts;
  }

  absl::BitGen random_;
  absl::Time now_ = absl::FromCivil(absl::CivilSecond(2026, 1, 2, 14, 2, 0), absl::UTCTimeZone());
  std::map<std::string, storage::v1::LeaseRecord> disk_;
  std::unique_ptr<WorkBoard> board_;
};

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

TEST_F(WorkBoardTest, ANoisyCardVerifiesButDoesNotTime) {
  auto noisy = From("w1");
  noisy.mutable_card()->set_health(v1::NOISY);
  Submit(Item("timed"));
  WorkItem inspect = Item("inspect");
  inspect.work.mutable_inspect();
  Submit(inspect);
  EXPECT_THAT(Told(Report(noisy)), ElementsAre("RUN inspect@1"));
  WorkItem untimed = Item("untimed");
  untimed.work.mutable_evaluate()->mutable_options()->set_skip_timing(true);
  Submit(untimed);
  EXPECT_THAT(Told(Report(noisy)), ElementsAre("RUN inspect@1", "PREPARE untimed@1"));
  EXPECT_THAT(TellNotices("timed").back(), HasSubstr("w1 is too noisy to time on"));
}

TEST_F(WorkBoardTest, AnotherKindOfCardGetsNothing) {
  Submit(Item("x"));
  auto request = From("npu");
  request.mutable_card()->set_kind("ascend");
  EXPECT_TRUE(Told(Report(request)).empty());
}

TEST_F(WorkBoardTest, PriorityThenArrivalDecidesInsideATeam) {
  Submit(Item("first"));
  Submit(Item("second"));
  Submit(Item("urgent", "a", 5));
  EXPECT_THAT(Told(Report(From("w1"))), ElementsAre("PREPARE first@1", "RUN urgent@1"));
}

TEST_F(WorkBoardTest, TeamsTakeTurnsHoweverMuchOneOfThemQueues) {
  for (int i = 0; i < 6; ++i) Submit(Item(absl::StrCat("a", i), "a", 100));
  for (int i = 0; i < 2; ++i) Submit(Item(absl::StrCat("b", i), "b"));
  std::vector<std::string> order;
  for (int i = 0; i < 4; ++i) {
    const auto told = Report(From("w1"));
    for (const auto& a : told.assignments()) {
      if (a.action() != v1::RUN) continue;
      order.push_back(a.id());
      now_ += absl::Seconds(5);
      Report(Finished(From("w1"), a.id(), a.lease_epoch(), v1::PASSED));
    }
  }
  EXPECT_EQ(std::count_if(order.begin(), order.end(), [](const auto& id) { return id[0] == 'b'; }), 2);
}

TEST_F(WorkBoardTest, AnIdleCardTakesWorkThatIsOnlyPreparedElsewhere) {
  Submit(Item("x"));
  Submit(Item("y"));
  EXPECT_THAT(Told(Report(From("w1"))), ElementsAre("RUN x@1", "PREPARE y@1"));
  EXPECT_THAT(Told(Report(From("w2"))), ElementsAre("RUN y@2"));
  auto request = From("w1");
  Add(request, "x", 1, v1::RUNNING);
  Add(request, "y", 1, v1::PREPARING);
  EXPECT_THAT(Told(Report(request)), ElementsAre("RUN x@1"));
  EXPECT_EQ(board_->Find("y")->failures, 0);
}

TEST_F(WorkBoardTest, WaitingIsExplainedOnceForEachReason) {
  Submit(Item("x"));
  EXPECT_THAT(TellNotices("x"), ElementsAre("no eligible card for cpu since 14:02 UTC"));
  Advance(absl::Minutes(3));
  EXPECT_TRUE(TellNotices("x").empty());
  Submit(Item("y"));
  Submit(Item("z"));
  Report(From("w1"));
  EXPECT_THAT(TellNotices("x").back(), "on w1");
  EXPECT_THAT(TellNotices("z").back(), "the one card is busy; 1st in line of team a");
}

TEST_F(WorkBoardTest, WaitingForACardIsMeasured) {
  Submit(Item("x"));
  Report(From("w1"));
  Submit(Item("y"));
  const int64_t queued = absl::ToUnixMicros(now_);
  now_ += absl::Seconds(7);
  Report(Finished(From("w1"), "x", 1, v1::PASSED));
  EXPECT_TRUE(board_->Find("x")->waits.empty());
  ASSERT_EQ(board_->Find("y")->waits.size(), 1u);
  EXPECT_EQ(board_->Find("y")->waits[0].kind(), "wait_card");
  EXPECT_EQ(board_->Find("y")->waits[0].begin_unix_us(), queued);
  EXPECT_EQ(board_->Find("y")->waits[0].end_unix_us(), queued + 7'000'000);
}

TEST_F(WorkBoardTest, ActivityOfTheWorkerReachesTheCallerOnce) {
  Submit(Item("x"));
  Report(From("w1"));
  board_->TakeNotices("x");
  auto request = From("w1");
  Add(request, "x", 1, v1::RUNNING).set_activity("verifying case 3 of 5");
  Report(request);
  Report(request);
  EXPECT_THAT(TellNotices("x"), ElementsAre("verifying case 3 of 5"));
  EXPECT_THAT(board_->Cards(now_)[0].activities(), ElementsAre("RUN x: verifying case 3 of 5"));
}

TEST_F(WorkBoardTest, AnUnchangedDesiredStateIsNoNews) {
  Submit(Item("x"));
  auto request = From("w1");
  auto answer = Report(request);
  EXPECT_TRUE(board_->IsNews(request, answer));
  Add(request, "x", 1, v1::ACCEPTED);
  request.set_seen_revision(answer.revision());
  EXPECT_FALSE(board_->IsNews(request, Report(request)));
  Submit(Item("y"));
  EXPECT_TRUE(board_->IsNews(request, board_->Desired(request)));
}

TEST_F(WorkBoardTest, TwoCallersOfOneWorkAreRefused) {
  Submit(Item("x"));
  EXPECT_EQ(board_->Submit(Item("x"), now_).code(), absl::StatusCode::kFailedPrecondition);
  board_->Leave("x");
  EXPECT_TRUE(board_->Submit(Item("x"), now_).ok());
}

TEST_F(WorkBoardTest, ForgettingTouchesFinishedWorkOnly) {
  Submit(Item("x"));
  Report(From("w1"));
  board_->Forget("x");
  board_->Forget("unknown");
  EXPECT_NE(board_->Find("x"), nullptr);
  Report(Finished(From("w1"), "x", 1, v1::PASSED));
  board_->Forget("x");
  Flush();
  EXPECT_EQ(board_->Find("x"), nullptr);
  EXPECT_TRUE(disk_.empty());
}

// Property: whatever workers, callers and time do, a finished piece of work stays finished with its first result, a
// lease has one holder, and the disk is never behind what a worker was told.
TEST_F(WorkBoardTest, RandomHistoriesKeepTheInvariants) {
  for (int history = 0; history < 30; ++history) {
    disk_.clear();
    Restart();
    std::map<std::string, uint64_t> finished;  // epoch of the result
    std::map<std::string, std::vector<v1::Assignment>> held;
    for (int step = 0; step < 120; ++step) {
      const std::string id = absl::StrCat("x", absl::Uniform(random_, 0, 4));
      const std::string worker = absl::StrCat("w", absl::Uniform(random_, 0, 3));
      switch (absl::Uniform(random_, 0, 6)) {
        case 0:
          (void)board_->Submit(Item(id), now_);
          break;
        case 1:
          Advance(absl::Seconds(absl::Uniform(random_, 0, 8)));
          break;
        case 2:
          if (absl::Bernoulli(random_, 0.2)) Restart();
          break;
        default: {
          auto request = From(worker);
          for (const auto& a : held[worker]) {
            auto& state = Add(request, a.id(), a.lease_epoch(), v1::RUNNING);
            if (a.action() != v1::PREPARE && absl::Bernoulli(random_, 0.4)) {
              state.set_phase(v1::FINISHED);
              state.mutable_report()->set_status(absl::Bernoulli(random_, 0.3) ? v1::INFRASTRUCTURE : v1::PASSED);
            }
          }
          const auto answer = Report(request);
          held[worker].assign(answer.assignments().begin(), answer.assignments().end());
          for (const auto& a : answer.assignments()) {
            ASSERT_EQ(disk_.at(a.id()).lease_epoch(), a.lease_epoch());
            ASSERT_EQ(disk_.at(a.id()).worker_id(), worker);
          }
        }
      }
      for (const auto& [work_id, work] : board_->works()) {
        if (work.state != Work::State::kFinished) {
          ASSERT_EQ(finished.count(work_id), 0u) << work_id << " came back";
        } else {
          ASSERT_EQ(finished.try_emplace(work_id, work.epoch).first->second, work.epoch);
        }
      }
    }
  }
}

}  // namespace
}  // namespace kernelsmith::server
