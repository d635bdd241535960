#include "server/synthesis/job_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "tests/server/synthesis/loop_fixture.h"

namespace kernelsmith::server {
namespace {

using testing::HasSubstr;

class JobRunnerTest : public LoopTest {
 protected:
  // The proposer lives as long as the runner's threads, which may ask it until TearDown.
  void OpenWith(std::vector<std::string> texts) {
    proposer_ = std::make_unique<ScriptedProposer>(std::move(texts));
    Open(*proposer_);
  }
  void StartRunner(const config::v1::CoordinatorConfig& config) {
    runner_ = std::make_unique<JobRunner>(
        *context_, config, metrics_,
        common::BackoffPolicy{.initial = absl::Milliseconds(1), .cap = absl::Milliseconds(5)});
    runner_->Start();
  }
  void TearDown() override {
    if (!runner_) return;
    interrupts_->StopAll();
    queue_->Stop();
    runner_->Stop();
    runner_.reset();
  }
  template <typename Condition>
  static bool Eventually(Condition condition) {
    const absl::Time deadline = absl::Now() + absl::Seconds(60);
    while (absl::Now() < deadline) {
      if (condition()) return true;
      absl::SleepFor(absl::Milliseconds(2));
    }
    return false;
  }

  std::unique_ptr<ScriptedProposer> proposer_;
  std::unique_ptr<JobRunner> runner_;
};

TEST_F(JobRunnerTest, ResumesWhatIsUnfinishedAndRunsWhatIsSubmitted) {
  OpenWith({"100", "50", "40", "30"});
  const std::string earlier = Submit(Spec(), "earlier");
  StartRunner({});
  EXPECT_TRUE(Eventually([&] { return Job(earlier).state() == v1::SUCCEEDED; }));
  const std::string later = Submit(Spec(), "later");
  runner_->Enqueue(Job(later));
  EXPECT_TRUE(Eventually([&] { return Job(later).state() == v1::SUCCEEDED; }));
}

TEST_F(JobRunnerTest, ExplainsWhyAJobWaitsAndStartsItWhenThereIsRoom) {
  OpenWith({"hang"});
  config::v1::CoordinatorConfig config;
  config.add_teams()->set_team("red");
  config.mutable_teams(0)->set_max_running_jobs(1);
  const std::string first = Submit(Spec(), "first");
  StartRunner(config);
  ASSERT_TRUE(Eventually([&] { return runner_->active() == 1; }));
  const std::string second = Submit(Spec(), "second");
  runner_->Enqueue(Job(second));
  EXPECT_TRUE(Eventually([&] { return Job(second).reason().find("team quota") != std::string::npos; }));
  EXPECT_GT(runner_->OldestWaitSeconds(), 0);
  v1::JobEvent event;
  event.mutable_job_ended()->set_state(v1::CANCELLED);
  ASSERT_TRUE(store_->Append(first, event).ok());
  runner_->NoticeCancelled(first);
  EXPECT_TRUE(Eventually([&] { return Job(second).state() == v1::RUNNING_ROUND; }));
}

TEST_F(JobRunnerTest, NoticesAJobThatIsExtendedWhileItEnds) {
  OpenWith({"100", "50", "40"});
  v1::JobSpec spec = Spec();
  spec.mutable_budget()->set_rounds(1);
  const std::string job_id = Submit(spec);
  StartRunner({});
  ASSERT_TRUE(Eventually([&] { return Job(job_id).state() == v1::SUCCEEDED; }));
  v1::JobEvent event;
  event.mutable_budget_extended()->mutable_extra()->set_rounds(2);
  ASSERT_TRUE(store_->Append(job_id, event).ok());
  runner_->Enqueue(Job(job_id));
  EXPECT_TRUE(Eventually([&] { return Job(job_id).rounds_done() == 3 && Job(job_id).state() == v1::SUCCEEDED; }));
}

TEST_F(JobRunnerTest, StopsInTheMiddleOfAnEvaluation) {
  OpenWith({"hang"});
  const std::string job_id = Submit(Spec());
  StartRunner({});
  ASSERT_TRUE(Eventually([&] { return !worker_.runs().empty(); }));
  TearDown();
  EXPECT_EQ(Job(job_id).state(), v1::RUNNING_ROUND);
}

}  // namespace
}  // namespace kernelsmith::server
