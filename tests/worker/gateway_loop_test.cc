// Coordinator's gateway and workers' loops in one process, over real gRPC. The coordinator's clock is moved by the
// tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "common/grpc/server.h"
#include "server/gateway/worker_gateway.h"
#include "tests/worker/scripted_executor.h"
#include "worker/gateway/synchronize_loop.h"

namespace kernelsmith::worker {
namespace {

using server::EvaluationQueue;
using server::WorkItem;
using server::WorkNotice;
using server::WorkResult;
using ::testing::Contains;
using ::testing::HasSubstr;

// A worker of the test: its loop and what does the work.
struct TestWorker {
  TestWorker(const std::string& address, const std::string& worker_id, LoopOptions options = {})
      : worker_metrics(metrics) {
    options.worker_id = worker_id;
    options.card.set_kind("cpu");
    options.card.set_card_id(worker_id);
    if (options.card.health() == v1::CARD_HEALTH_UNSPECIFIED) options.card.set_health(v1::HEALTHY);
    options.retry = {.initial = absl::Milliseconds(20), .cap = absl::Milliseconds(100), .factor = 2.0};
    config::v1::Remote remote;
    remote.set_address(address);
    loop = std::make_unique<SynchronizeLoop>(std::move(options), executor,
                                             std::make_unique<CoordinatorLink>(*common::Connection::Open(remote)),
                                             worker_metrics);
    loop->Start();
  }
  common::Metrics metrics;
  WorkerMetrics worker_metrics;
  ScriptedExecutor executor;
  std::unique_ptr<SynchronizeLoop> loop;
};

class GatewayLoopTest : public ::testing::Test {
 protected:
  GatewayLoopTest()
      : folder_(*common::TemporaryFolder::Make("loop")),
        content_(*common::ContentStore::Open(folder_.path() + "/content")) {
    config_.set_heartbeat_s(0.5);
    listen_.set_address("127.0.0.1:0");
    StartCoordinator();
    address_ = server_->address();
    listen_.set_address(address_);  // a restart comes back at the same place
  }
  ~GatewayLoopTest() override { StopCoordinator(); }

  void StartServer() {
    common::GrpcServer::Options options;
    options.listen = listen_;
    options.method_roles = server::WorkerGatewayRoles();
    auto server = common::GrpcServer::Start(options, {gateway_.get()});
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  void StartCoordinator() {
    auto queue = EvaluationQueue::Open(folder_.path(), config_, clock_, metrics_);
    ASSERT_TRUE(queue.ok()) << queue.status();
    queue_ = *std::move(queue);
    gateway_ = std::make_unique<server::WorkerGateway>(*queue_, content_);
    StartServer();
  }
  void StopCoordinator() {
    if (queue_) queue_->Stop();
    for (auto& run : runs_) run.wait();
    runs_.clear();
    if (server_) server_->Shutdown(absl::ZeroDuration());
    server_.reset();
    gateway_.reset();
    queue_.reset();
  }

  using Outcome = std::shared_future<absl::StatusOr<WorkResult>>;
  Outcome Run(const std::string& id, std::atomic<bool>* cancel = nullptr) {
    WorkItem item;
    item.assignment_id = id;
    item.team = "a";
    item.job_id = "job";
    item.card_kind = "cpu";
    item.work.mutable_evaluate();
    Outcome run = std::async(std::launch::async, [this, item, cancel] {
      return queue_->Run(
          item,
          [this](const WorkNotice& notice) {
            common::MutexLock lock(mutex_);
            notices_.push_back(notice.text);
            noticed_.NotifyAll();
          },
          [cancel] { return cancel != nullptr && cancel->load(); });
    });
    runs_.push_back(run);
    return run;
  }
  bool HasNotice(const std::string& part) {
    common::MutexLock lock(mutex_);
    return std::any_of(notices_.begin(), notices_.end(),
                       [&](const auto& text) { return text.find(part) != std::string::npos; });
  }
  // False if no such notice comes in 20 seconds.
  bool WaitForNotice(const std::string& part) {
    const absl::Time deadline = absl::Now() + absl::Seconds(20);
    common::MutexLock lock(mutex_);
    while (absl::Now() < deadline) {
      for (const auto& text : notices_) {
        if (text.find(part) != std::string::npos) return true;
      }
      noticed_.WaitUntil(mutex_, deadline);
    }
    return false;
  }
  // Moves the coordinator's clock in small steps, so that workers that report are not lost, until the condition holds.
  template <typename Condition>
  bool AdvanceUntil(Condition condition) {
    const absl::Time deadline = absl::Now() + absl::Seconds(20);
    while (!condition()) {
      if (absl::Now() >= deadline) return false;
      clock_.Advance(absl::Milliseconds(20));
      common::MutexLock lock(mutex_);
      noticed_.WaitFor(mutex_, absl::Milliseconds(2));
    }
    return true;
  }
  static bool IsReady(const Outcome& run) { return run.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }

  common::TemporaryFolder folder_;
  common::ContentStore content_;
  config::v1::CoordinatorConfig config_;
  config::v1::Listen listen_;
  common::ManualClock clock_{absl::FromUnixSeconds(1'000'000)};
  common::Metrics metrics_;
  std::unique_ptr<EvaluationQueue> queue_;
  std::unique_ptr<server::WorkerGateway> gateway_;
  std::unique_ptr<common::GrpcServer> server_;
  std::string address_;
  std::vector<Outcome> runs_;
  common::Mutex mutex_;
  common::CondVar noticed_;
  std::vector<std::string> notices_ GUARDED_BY(mutex_);
};

TEST_F(GatewayLoopTest, AResultReachesItsCallerWithProgressAndLogs) {
  TestWorker worker(address_, "w1");
  auto run = Run("x");
  ASSERT_TRUE(worker.executor.WaitUntilStarted("x"));
  EXPECT_TRUE(WaitForNotice("on w1"));
  EXPECT_TRUE(WaitForNotice("running x"));
  worker.executor.Finish("x", v1::PASSED, {{"compiler.log", "no warnings"}});
  ASSERT_TRUE(run.get().ok()) << run.get().status();
  const auto& report = run.get()->state.report();
  EXPECT_EQ(report.status(), v1::PASSED);
  ASSERT_EQ(report.logs_size(), 1);
  EXPECT_EQ(report.logs(0).name(), "compiler.log");
  EXPECT_EQ(*content_.Get(report.logs(0).digest()), "no warnings");
  EXPECT_EQ(run.get()->failures, 0);
}

TEST_F(GatewayLoopTest, TheNextWorkIsPreparedWhileTheFirstRuns) {
  TestWorker worker(address_, "w1");
  auto x = Run("x");
  ASSERT_TRUE(worker.executor.WaitUntilStarted("x"));
  auto y = Run("y");
  ASSERT_TRUE(worker.executor.WaitUntilPrepared("y"));
  EXPECT_EQ(worker.executor.started("y"), 0);
  worker.executor.Finish("x", v1::PASSED);
  ASSERT_TRUE(worker.executor.WaitUntilStarted("y"));
  worker.executor.Finish("y", v1::COMPILE_ERROR);
  EXPECT_EQ(y.get()->state.report().status(), v1::COMPILE_ERROR);
  EXPECT_EQ(y.get()->lease_epoch, 1u);
}

TEST_F(GatewayLoopTest, ARestartOfTheCoordinatorDoesNotDisturbWhatRuns) {
  TestWorker worker(address_, "w1");
  Run("x");
  ASSERT_TRUE(worker.executor.WaitUntilStarted("x"));
  StopCoordinator();
  StartCoordinator();
  auto run = Run("x");
  worker.executor.Finish("x", v1::PASSED);
  ASSERT_TRUE(run.get().ok()) << run.get().status();
  EXPECT_EQ(run.get()->lease_epoch, 1u);
  EXPECT_EQ(run.get()->failures, 0);
  EXPECT_EQ(worker.executor.started("x"), 1);
}

TEST_F(GatewayLoopTest, AResultFromWhileTheCoordinatorWasAwayIsCountedOnce) {
  TestWorker worker(address_, "w1");
  Run("x");
  ASSERT_TRUE(worker.executor.WaitUntilStarted("x"));
  StopCoordinator();
  worker.executor.Finish("x", v1::PASSED);
  StartCoordinator();
  auto run = Run("x");
  ASSERT_TRUE(run.get().ok()) << run.get().status();
  EXPECT_EQ(run.get()->state.report().status(), v1::PASSED);
  EXPECT_EQ(worker.executor.started("x"), 1);
}

TEST_F(GatewayLoopTest, AfterALostLeaseTheOldRunIsStoppedAndItsResultRefused) {
  TestWorker worker(address_, "w1");
  auto run = Run("x");
  ASSERT_TRUE(worker.executor.WaitUntilStarted("x"));
  server_->Shutdown(absl::ZeroDuration());  // the network breaks, the coordinator lives
  server_.reset();
  clock_.Advance(absl::Seconds(11));
  ASSERT_TRUE(WaitForNotice("ran out"));
  StartServer();
  ASSERT_TRUE(worker.executor.WaitUntilStopped());
  ASSERT_TRUE(AdvanceUntil([&] { return worker.executor.started("x") == 2; }));
  worker.executor.Finish("x", v1::PASSED);
  ASSERT_TRUE(run.get().ok()) << run.get().status();
  EXPECT_EQ(run.get()->lease_epoch, 2u);
  EXPECT_EQ(run.get()->failures, 1);
}

TEST_F(GatewayLoopTest, CancellingKillsTheRunAndFreesTheCard) {
  TestWorker worker(address_, "w1");
  std::atomic<bool> cancel = false;
  auto x = Run("x", &cancel);
  ASSERT_TRUE(worker.executor.WaitUntilStarted("x"));
  cancel = true;
  EXPECT_EQ(x.get().status().code(), absl::StatusCode::kCancelled);
  ASSERT_TRUE(worker.executor.WaitUntilStopped());
  auto y = Run("y");
  ASSERT_TRUE(worker.executor.WaitUntilStarted("y"));
  worker.executor.Finish("y", v1::PASSED);
  EXPECT_TRUE(y.get().ok());
}

TEST_F(GatewayLoopTest, ADrainLetsWhatRunsFinish) {
  TestWorker worker(address_, "w1");
  auto run = Run("x");
  ASSERT_TRUE(worker.executor.WaitUntilStarted("x"));
  worker.loop->Drain();
  worker.executor.Finish("x", v1::PASSED);
  EXPECT_TRUE(worker.loop->Wait().ok());
  ASSERT_TRUE(run.get().ok());
  EXPECT_EQ(run.get()->state.report().status(), v1::PASSED);
  EXPECT_TRUE(queue_->Cards()[0].draining());
}

TEST_F(GatewayLoopTest, ADrainHandsBackWhatTakesTooLong) {
  LoopOptions hasty;
  hasty.drain_grace = absl::ZeroDuration();
  TestWorker first(address_, "w1", hasty);
  auto run = Run("x");
  ASSERT_TRUE(first.executor.WaitUntilStarted("x"));
  TestWorker second(address_, "w2");
  first.loop->Drain();
  EXPECT_TRUE(first.loop->Wait().ok());
  ASSERT_TRUE(second.executor.WaitUntilStarted("x"));
  second.executor.Finish("x", v1::PASSED);
  ASSERT_TRUE(run.get().ok());
  EXPECT_EQ(run.get()->worker_id, "w2");
  EXPECT_EQ(run.get()->failures, 0);
}

TEST_F(GatewayLoopTest, AnIdleWorkerDrainsEvenWithoutACoordinator) {
  TestWorker worker(address_, "w1");
  StopCoordinator();
  worker.loop->Drain();
  EXPECT_TRUE(worker.loop->Wait().ok());
}

TEST_F(GatewayLoopTest, WorkOfAWorkerThatDiedIsDoneByAnother) {
  auto first = std::make_unique<TestWorker>(address_, "w1");
  auto run = Run("x");
  ASSERT_TRUE(first->executor.WaitUntilStarted("x"));
  TestWorker second(address_, "w2");
  first.reset();  // says nothing
  ASSERT_TRUE(AdvanceUntil([&] { return second.executor.started("x") == 1; }));
  second.executor.Finish("x", v1::PASSED);
  ASSERT_TRUE(run.get().ok());
  EXPECT_EQ(run.get()->failures, 1);
  EXPECT_EQ(run.get()->worker_id, "w2");
}

TEST_F(GatewayLoopTest, ARestartedWorkerIsGivenItsWorkAnew) {
  auto worker = std::make_unique<TestWorker>(address_, "w1");
  auto run = Run("x");
  ASSERT_TRUE(worker->executor.WaitUntilStarted("x"));
  worker = std::make_unique<TestWorker>(address_, "w1");
  ASSERT_TRUE(WaitForNotice("worker w1 was restarted"));
  ASSERT_TRUE(AdvanceUntil([&] { return worker->executor.started("x") == 1; }));
  worker->executor.Finish("x", v1::PASSED);
  ASSERT_TRUE(run.get().ok());
  EXPECT_EQ(run.get()->lease_epoch, 2u);
}

TEST_F(GatewayLoopTest, ACardThatKeepsFailingIsTakenOutAndComesBack) {
  TestWorker worker(address_, "w1");
  auto run = Run("x");
  worker.executor.Finish("x", v1::INFRASTRUCTURE);
  ASSERT_TRUE(AdvanceUntil([&] {
    const auto cards = queue_->Cards();
    return !cards.empty() && cards[0].state().health() == v1::QUARANTINED;
  }));
  EXPECT_EQ(worker.executor.started("x"), 3);
  ASSERT_TRUE(AdvanceUntil([&] { return HasNotice("in quarantine"); }));  // once the backoff is over
  worker.executor.Finish("x", v1::PASSED);
  ASSERT_TRUE(AdvanceUntil([&] { return IsReady(run); }));
  EXPECT_EQ(run.get()->state.report().status(), v1::PASSED);
  EXPECT_EQ(run.get()->failures, 3);
  EXPECT_EQ(queue_->Cards()[0].consecutive_failures(), 0);
}

TEST_F(GatewayLoopTest, WorkThatFailsTooOftenIsADeadLetter) {
  TestWorker worker(address_, "w1");
  auto run = Run("x");
  worker.executor.Finish("x", v1::INFRASTRUCTURE);
  ASSERT_TRUE(AdvanceUntil([&] { return IsReady(run); }));
  EXPECT_TRUE(run.get()->dead_letter);
  EXPECT_EQ(run.get()->state.report().status(), v1::INFRASTRUCTURE);
  EXPECT_EQ(worker.executor.started("x"), 5);
  EXPECT_EQ(queue_->DeadLetters()->size(), 1u);
}

TEST_F(GatewayLoopTest, ASecondProcessUnderTheSameIdEndsTheFirst) {
  std::atomic<bool> told = false;
  LoopOptions options;
  options.on_end = [&] { told = true; };
  TestWorker first(address_, "w1", options);
  auto run = Run("x");
  ASSERT_TRUE(first.executor.WaitUntilStarted("x"));
  TestWorker second(address_, "w1");
  EXPECT_EQ(first.loop->Wait().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(told);
  ASSERT_TRUE(AdvanceUntil([&] { return second.executor.started("x") == 1; }));
  second.executor.Finish("x", v1::PASSED);
  EXPECT_TRUE(run.get().ok());
}

TEST_F(GatewayLoopTest, ANoisyCardTimesAgainOnceItIsQuiet) {
  LoopOptions options;
  options.card.set_health(v1::NOISY);
  options.card_check_interval = absl::ZeroDuration();
  std::atomic<bool> quiet = false;
  options.check_card = [&](v1::CardState card) {
    card.set_health(quiet ? v1::HEALTHY : v1::NOISY);
    return card;
  };
  TestWorker worker(address_, "w1", options);
  auto run = Run("x");
  ASSERT_TRUE(WaitForNotice("w1 is too noisy to time on"));
  quiet = true;
  ASSERT_TRUE(worker.executor.WaitUntilStarted("x"));
  worker.executor.Finish("x", v1::PASSED);
  EXPECT_TRUE(run.get().ok());
}

}  // namespace
}  // namespace kernelsmith::worker
