// Which work a card gets, what waiting says, and that random histories keep the invariants.
#include "tests/server/scheduling/work_board_fixture.h"

namespace kernelsmith::server {
namespace {

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
