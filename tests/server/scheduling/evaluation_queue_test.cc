// The queue's threads and disk; the rules are tested in work_board_test.cc.
#include "server/scheduling/evaluation_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "common/file_io.h"
#include "common/mutex.h"
#include "common/status.h"

namespace kernelsmith::server {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class EvaluationQueueTest : public ::testing::Test {
 protected:
  EvaluationQueueTest() : folder_(*common::TemporaryFolder::Make("queue")) { Reopen(); }
  ~EvaluationQueueTest() override { Close(); }

  void Close() {
    if (queue_) queue_->Stop();
    for (auto& run : runs_) run.wait();
    runs_.clear();
    queue_.reset();
  }
  void Reopen() {
    Close();
    auto opened = EvaluationQueue::Open(folder_.path(), config_, clock_, metrics_);
    ASSERT_TRUE(opened.ok()) << opened.status();
    queue_ = *std::move(opened);
  }

  static WorkItem Item(const std::string& id, const std::string& job = "job-1") {
    WorkItem item;
    item.assignment_id = id;
    item.team = "a";
    item.job_id = job;
    item.card_kind = "cpu";
    item.work.mutable_evaluate();
    return item;
  }

  // Runs the item on a thread of its own.
  std::shared_future<absl::StatusOr<WorkResult>> Start(const WorkItem& item, std::atomic<bool>* cancel = nullptr) {
    std::shared_future<absl::StatusOr<WorkResult>> run = std::async(std::launch::async, [this, item, cancel] {
      return queue_->Run(
          item,
          [this](const WorkNotice& notice) {
            common::MutexLock lock(mutex_);
            notices_.push_back(notice.text);
          },
          [cancel] { return cancel != nullptr && cancel->load(); });
    });
    runs_.push_back(run);
    return run;
  }

  v1::SynchronizeResponse Sync(v1::SynchronizeRequest request, int64_t max_wait_ms = 0) {
    request.set_worker_id(request.worker_id().empty() ? "w1" : request.worker_id());
    request.set_instance("i1");
    request.mutable_card()->set_kind("cpu");
    request.set_max_wait_ms(max_wait_ms);
    auto answer = queue_->Synchronize(request);
    EXPECT_TRUE(answer.ok()) << answer.status();
    return *answer;
  }
  // Long polls until the worker is told to do something.
  v1::SynchronizeResponse SyncUntilWork() {
    v1::SynchronizeRequest request;
    for (int i = 0; i < 20; ++i) {
      const auto answer = Sync(request, 2000);
      if (answer.assignments_size() > 0) return answer;
      request.set_seen_revision(answer.revision());
    }
    ADD_FAILURE() << "no work came";
    return {};
  }
  static v1::SynchronizeRequest Finished(const std::string& id, uint64_t epoch, v1::EvaluationStatus status) {
    v1::SynchronizeRequest request;
    auto& state = *request.add_assignments();
    state.set_id(id);
    state.set_lease_epoch(epoch);
    state.set_phase(v1::FINISHED);
    state.mutable_report()->set_status(status);
    return request;
  }

  common::TemporaryFolder folder_;
  config::v1::CoordinatorConfig config_;
  common::ManualClock clock_{absl::FromUnixSeconds(1'000'000)};
  common::Metrics metrics_;
  common::Mutex mutex_;
  std::vector<std::string> notices_ GUARDED_BY(mutex_);
  std::unique_ptr<EvaluationQueue> queue_;
  std::vector<std::shared_future<absl::StatusOr<WorkResult>>> runs_;
};

TEST_F(EvaluationQueueTest, ARunGetsTheResultThatAWorkerReports) {
  auto run = Start(Item("x"));
  EXPECT_EQ(SyncUntilWork().assignments(0).id(), "x");
  EXPECT_EQ(Sync(Finished("x", 1, v1::PASSED)).acknowledged_size(), 1);
  ASSERT_TRUE(run.get().ok()) << run.get().status();
  EXPECT_EQ(run.get()->state.report().status(), v1::PASSED);
  EXPECT_EQ(run.get()->worker_id, "w1");
  EXPECT_EQ(run.get()->lease_epoch, 1u);
  common::MutexLock lock(mutex_);
  EXPECT_THAT(notices_, Contains("on w1"));
}

TEST_F(EvaluationQueueTest, ALongPollEndsWhenWorkArrives) {
  const auto idle = Sync({});
  v1::SynchronizeRequest request;
  request.set_seen_revision(idle.revision());
  auto poll = std::async(std::launch::async, [&] {
    v1::SynchronizeResponse answer;
    for (int i = 0; i < 20 && answer.assignments_size() == 0; ++i) answer = Sync(request, 2000);
    return answer;
  });
  auto run = Start(Item("x"));
  EXPECT_EQ(poll.get().assignments_size(), 1);
}

TEST_F(EvaluationQueueTest, ANewCallOfAWorkerEndsTheOneBefore) {
  const auto idle = Sync({});
  v1::SynchronizeRequest request;
  request.set_seen_revision(idle.revision());
  std::atomic<bool> first_done = false;
  auto first = std::async(std::launch::async, [&] {
    Sync(request, 2000);
    first_done = true;
  });
  while (!first_done) Sync(request, 0);  // whichever comes first, the long one ends
  first.get();
}

TEST_F(EvaluationQueueTest, ACancelledRunReturnsAtOnceAndTheCardIsTold) {
  std::atomic<bool> cancel = false;
  auto run = Start(Item("x"), &cancel);
  SyncUntilWork();
  cancel = true;
  EXPECT_EQ(run.get().status().code(), absl::StatusCode::kCancelled);
  const auto answer = Sync({});
  ASSERT_EQ(answer.assignments_size(), 1);
  EXPECT_EQ(answer.assignments(0).action(), v1::CANCEL);
  EXPECT_EQ(answer.assignments(0).work_case(), v1::Assignment::WORK_NOT_SET);
  Sync(Finished("x", 1, v1::EVALUATION_CANCELLED));
  EXPECT_EQ(Sync({}).assignments_size(), 0);
}

TEST_F(EvaluationQueueTest, AResultSurvivesARestartUntilItIsForgotten) {
  auto run = Start(Item("x"));
  SyncUntilWork();
  Sync(Finished("x", 1, v1::PASSED));
  ASSERT_TRUE(run.get().ok());
  Reopen();  // the coordinator died before it logged the result
  auto again = Start(Item("x"));
  ASSERT_TRUE(again.get().ok());
  EXPECT_EQ(again.get()->state.report().status(), v1::PASSED);
  ASSERT_TRUE(queue_->Forget("x").ok());
  Reopen();
  auto fresh = Start(Item("x"));
  EXPECT_EQ(SyncUntilWork().assignments(0).lease_epoch(), 1u);
}

TEST_F(EvaluationQueueTest, WorkGoesOnOverARestartAndIsCountedOnce) {
  Start(Item("x"));
  SyncUntilWork();
  Reopen();
  auto run = Start(Item("x"));
  EXPECT_EQ(Sync(Finished("x", 1, v1::PASSED)).acknowledged_size(), 1);
  ASSERT_TRUE(run.get().ok());
  EXPECT_EQ(run.get()->failures, 0);
}

TEST_F(EvaluationQueueTest, CallsWithoutAJobLeaveNothingBehind) {
  auto run = Start(Item("call", ""));
  SyncUntilWork();
  Sync(Finished("call", 1, v1::PASSED));
  ASSERT_TRUE(run.get().ok());
  EXPECT_EQ(Sync({}).assignments_size(), 0);
  auto second = Start(Item("call", ""));
  EXPECT_EQ(SyncUntilWork().assignments(0).lease_epoch(), 1u);
}

TEST_F(EvaluationQueueTest, StoppingEndsRunsAndPolls) {
  auto run = Start(Item("x"));
  while (Sync({}).assignments_size() == 0) {
  }
  queue_->Stop();
  EXPECT_EQ(run.get().status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(queue_
                ->Run(
                    Item("y"), [](const WorkNotice&) {}, [] { return false; })
                .status()
                .code(),
            absl::StatusCode::kUnavailable);
}

TEST_F(EvaluationQueueTest, TimeAloneEndsALeaseAndTheRetryIsTold) {
  auto run = Start(Item("x"));
  SyncUntilWork();
  clock_.Advance(absl::Seconds(11));
  const absl::Time deadline = absl::Now() + absl::Seconds(20);
  bool told = false;
  while (!told && absl::Now() < deadline) {
    common::MutexLock lock(mutex_);
    told = std::any_of(notices_.begin(), notices_.end(),
                       [](const auto& text) { return text.find("ran out") != std::string::npos; });
  }
  EXPECT_TRUE(told);
}

TEST_F(EvaluationQueueTest, DeadLettersAreListedWithTheirReason) {
  config_.set_max_infrastructure_failures(1);
  Reopen();
  auto run = Start(Item("x"));
  SyncUntilWork();
  auto request = Finished("x", 1, v1::INFRASTRUCTURE);
  request.mutable_assignments(0)->mutable_report()->set_summary("the disk is full");
  Sync(request);
  ASSERT_TRUE(run.get().ok());
  EXPECT_TRUE(run.get()->dead_letter);
  EXPECT_EQ(run.get()->state.report().status(), v1::INFRASTRUCTURE);
  ASSERT_TRUE(queue_->Forget("x").ok());
  const auto letters = queue_->DeadLetters();
  ASSERT_TRUE(letters.ok());
  ASSERT_EQ(letters->size(), 1u);
  EXPECT_EQ((*letters)[0].reason(), "w1: the disk is full");
  EXPECT_GT((*letters)[0].at_unix_us(), 0);
  ASSERT_TRUE(queue_->RemoveDeadLetter("x").ok());
  EXPECT_TRUE(queue_->DeadLetters()->empty());
}

TEST_F(EvaluationQueueTest, ADrainIsKeptOverARestartAndUndone) {
  EXPECT_EQ(queue_->Drain("w1", false).status().code(), absl::StatusCode::kNotFound);
  Sync({});
  ASSERT_TRUE(queue_->Drain("w1", false).ok());
  Reopen();
  EXPECT_TRUE(Sync({}).drain());
  EXPECT_TRUE(queue_->Cards()[0].draining());
  EXPECT_FALSE(queue_->Drain("w1", true)->draining());
  EXPECT_FALSE(Sync({}).drain());
}

TEST_F(EvaluationQueueTest, ALeaseShorterThanThreeHeartbeatsIsRefused) {
  config_.set_heartbeat_s(2);
  config_.set_lease_s(5);
  const auto opened = EvaluationQueue::Open(folder_.path() + "/other", config_, clock_, metrics_);
  EXPECT_EQ(common::FieldOf(opened.status()), "lease_s");
}

}  // namespace
}  // namespace kernelsmith::server
