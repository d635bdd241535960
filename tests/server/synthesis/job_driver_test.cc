// A job from submission to its end, undisturbed and disturbed by everything but a crash of the coordinator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/synthesis/round_archive.h"
#include "tests/server/synthesis/loop_fixture.h"

namespace kernelsmith::server {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class JobDriverTest : public LoopTest {
 protected:
  std::string RunJob(ScriptedProposer& proposer, const v1::JobSpec& spec) {
    Open(proposer);
    const std::string job_id = Submit(spec);
    EXPECT_EQ(Drive(job_id), JobDriver::Outcome::kEnded);
    return job_id;
  }
};

TEST_F(JobDriverTest, TakesAJobToSuccess) {
  ScriptedProposer proposer({"no compile", "wrong", "100", "50"});
  const std::string job_id = RunJob(proposer, Spec());
  const v1::Job job = Job(job_id);
  EXPECT_EQ(job.state(), v1::SUCCEEDED);
  EXPECT_EQ(job.rounds_done(), 4);
  EXPECT_EQ(job.first_correct_round(), 3);
  EXPECT_EQ(job.incumbent_round(), 4);
  EXPECT_EQ(job.best_us(), 50);
  EXPECT_EQ(job.speedup_vs_first(), 2);
  EXPECT_THAT(job.reason(), HasSubstr("4 rounds"));

  const JobHistory history = History(job_id);
  ASSERT_EQ(history.stages.size(), 2u);
  EXPECT_EQ(history.stages[0].stage(), v1::DRAFTING);
  EXPECT_EQ(history.stages[0].z(), 1);
  EXPECT_EQ(history.stages[1].stage(), v1::REFINING);
  EXPECT_DOUBLE_EQ(history.stages[1].z(), 0.5);
  EXPECT_EQ(MemoryStats().attempts(), 4);
  EXPECT_EQ(MemoryStats().stages(), 2);

  // Later rounds were given what earlier ones taught.
  const auto requests = proposer.requests();
  ASSERT_EQ(requests.size(), 4u);
  EXPECT_EQ(requests[3].history.size(), 3u);
  EXPECT_EQ(requests[3].start_round, 3);
  EXPECT_EQ(requests[3].context.blocks(0).name(), "specification");
}

TEST_F(JobDriverTest, TheCatalogIsSuppliedWithWhatOtherJobsTaught) {
  ScriptedProposer earlier({"100", "50"});
  v1::JobSpec spec = Spec();
  spec.mutable_budget()->set_rounds(2);
  const std::string first = RunJob(earlier, spec);
  EXPECT_TRUE(earlier.requests()[1].context.items().empty()) << "its own attempts are in the history";
  ScriptedProposer later({"90", "40"});
  Open(later);
  const std::string second = Submit(spec, "second");
  EXPECT_EQ(Drive(second), JobDriver::Outcome::kEnded);
  const auto requests = later.requests();
  ASSERT_EQ(requests.size(), 2u);
  for (const ProposalRequest& request : requests) {
    EXPECT_FALSE(request.context.items().empty()) << "round " << request.round;
    for (const v1::RankedItem& item : request.context.items()) {
      EXPECT_THAT(item.item().attempt_id(), testing::StartsWith(first + "/"));
    }
  }
}

TEST_F(JobDriverTest, RecordsTheLineageOfAttempts) {
  ScriptedProposer proposer({"wrong", "100", "120", "50"});
  const std::string job_id = RunJob(proposer, Spec());
  v1::LineageRequest request;
  request.set_session(job_id);
  const auto lineage = experience_->Lineage("red", request);
  ASSERT_TRUE(lineage.ok());
  ASSERT_EQ(lineage->nodes_size(), 4);
  std::map<std::string, std::string> predecessors;
  for (const v1::LineageNode& node : lineage->nodes()) predecessors[node.attempt_id()] = node.prev_attempt_id();
  EXPECT_EQ(predecessors[absl::StrCat(job_id, "/1")], "");
  EXPECT_EQ(predecessors[absl::StrCat(job_id, "/2")], absl::StrCat(job_id, "/1"));
  EXPECT_EQ(predecessors[absl::StrCat(job_id, "/3")], absl::StrCat(job_id, "/2"));
  EXPECT_EQ(predecessors[absl::StrCat(job_id, "/4")], absl::StrCat(job_id, "/2"));
}

TEST_F(JobDriverTest, ExhaustsABudgetWithoutACorrectKernel) {
  ScriptedProposer proposer({"wrong", "wrong", "wrong", "wrong"});
  const std::string job_id = RunJob(proposer, Spec());
  EXPECT_EQ(Job(job_id).state(), v1::EXHAUSTED);
  ASSERT_EQ(History(job_id).stages.size(), 1u);
  EXPECT_LT(History(job_id).stages[0].z(), 0);
}

TEST_F(JobDriverTest, EndsWhenTheProposerHasNothingMore) {
  ScriptedProposer with({"100"});
  const std::string job_id = RunJob(with, Spec());
  EXPECT_EQ(Job(job_id).state(), v1::SUCCEEDED);
  EXPECT_THAT(Job(job_id).reason(), HasSubstr("the script has ended"));
  EXPECT_EQ(Job(job_id).rounds_done(), 1);
}

TEST_F(JobDriverTest, StartsFromAGivenKernel) {
  v1::JobSpec spec = Spec();
  spec.mutable_budget()->set_rounds(2);
  *spec.mutable_start_from() = CandidateOf("80");
  ScriptedProposer proposer({"unused", "40"});
  const std::string job_id = RunJob(proposer, spec);
  const JobHistory history = History(job_id);
  EXPECT_EQ(history.rounds[0].proposed->proposal().author().kind(), "user");
  EXPECT_EQ(history.rounds[0].recorded->latency_us(), 80);
  EXPECT_FALSE(history.rounds[0].context.has_value());
  EXPECT_EQ(history.incumbent_round, 2);
  EXPECT_EQ(proposer.requests().size(), 1u);
  EXPECT_EQ(Job(job_id).state(), v1::SUCCEEDED);
}

TEST_F(JobDriverTest, RecordsARoundWithoutCandidateAndGoesOn) {
  v1::JobSpec spec = Spec();
  spec.mutable_budget()->set_rounds(3);
  ScriptedProposer proposer({"-", "!", "100"});
  const std::string job_id = RunJob(proposer, spec);
  const JobHistory history = History(job_id);
  EXPECT_EQ(history.rounds[0].recorded->status(), v1::EVALUATION_STATUS_UNSPECIFIED);
  EXPECT_EQ(history.rounds[0].proposed->proposal().error(), "no code");
  EXPECT_THAT(history.rounds[1].proposed->proposal().error(), HasSubstr("adoption"));
  EXPECT_EQ(Job(job_id).state(), v1::SUCCEEDED);
  EXPECT_EQ(MemoryStats().attempts(), 1);
}

TEST_F(JobDriverTest, GivesUpAfterTwoInfrastructureRoundsAndKeepsThemOutOfMemory) {
  ScriptedProposer proposer({"100", "lost card", "lost card", "50"});
  const std::string job_id = RunJob(proposer, Spec());
  EXPECT_EQ(Job(job_id).state(), v1::FAILED);
  EXPECT_THAT(Job(job_id).reason(), HasSubstr("outside the candidates"));
  EXPECT_EQ(MemoryStats().attempts(), 1);
}

TEST_F(JobDriverTest, FailsOnAnInvalidTask) {
  v1::JobSpec spec = Spec();
  spec.mutable_task()->mutable_kernelbench()->set_source("not a task");
  ScriptedProposer proposer({});
  const std::string job_id = RunJob(proposer, spec);
  EXPECT_EQ(Job(job_id).state(), v1::FAILED);
  EXPECT_THAT(Job(job_id).reason(), HasSubstr("no class Model"));
}

TEST_F(JobDriverTest, WaitsForAMemoryThatIsDown) {
  ScriptedProposer proposer({"100", "50"});
  v1::JobSpec spec = Spec();
  spec.mutable_budget()->set_rounds(2);
  memory_->FailNext(5, absl::StatusCode::kUnavailable);
  const std::string job_id = RunJob(proposer, spec);
  EXPECT_EQ(Job(job_id).state(), v1::SUCCEEDED);
  EXPECT_EQ(MemoryStats().attempts(), 2);
}

TEST_F(JobDriverTest, WaitsForAMemoryThatRefusesTheToken) {
  ScriptedProposer proposer({"100"});
  memory_->FailNext(3, absl::StatusCode::kUnauthenticated);
  EXPECT_EQ(Job(RunJob(proposer, Spec())).state(), v1::SUCCEEDED);
}

TEST_F(JobDriverTest, FailsWhenTheRequiredContextDoesNotFit) {
  ScriptedProposer proposer({"100"});
  proposer.limits.window = 3000;
  const std::string job_id = RunJob(proposer, Spec());
  EXPECT_EQ(Job(job_id).state(), v1::FAILED);
  EXPECT_THAT(Job(job_id).reason(), HasSubstr("memory: "));
}

TEST_F(JobDriverTest, EndsAtItsWallTimeWhileTheProposerIsDown) {
  v1::JobSpec spec = Spec();
  spec.mutable_budget()->set_wall_s(0.3);
  ScriptedProposer proposer({"down"});
  const std::string job_id = RunJob(proposer, spec);
  EXPECT_EQ(Job(job_id).state(), v1::EXHAUSTED);
  EXPECT_THAT(Job(job_id).reason(), HasSubstr("wall time"));
}

TEST_F(JobDriverTest, KeepsAVerdictWhenMemoryStaysDownToTheEndOfTheWallTime) {
  v1::JobSpec spec = Spec();
  spec.mutable_budget()->set_wall_s(2);
  ScriptedProposer proposer({"100", "hang"});
  Open(proposer);
  const std::string job_id = Submit(spec);
  // The second candidate hangs until the wall time cancels it; then memory is down for good.
  std::thread breaker([&] {
    while (worker_.runs().count(absl::StrCat(job_id, "/2/evaluate")) == 0) absl::SleepFor(absl::Milliseconds(2));
    memory_->FailNext(1'000'000, absl::StatusCode::kUnavailable);
  });
  EXPECT_EQ(Drive(job_id), JobDriver::Outcome::kEnded);
  breaker.join();
  EXPECT_EQ(Job(job_id).state(), v1::SUCCEEDED);
  EXPECT_EQ(Job(job_id).incumbent_round(), 1);
}

TEST_F(JobDriverTest, StopsAtACancellationAndKillsTheEvaluation) {
  ScriptedProposer proposer({"hang"});
  Open(proposer);
  const std::string job_id = Submit(Spec());
  std::thread canceller([&] {
    while (worker_.runs().empty()) absl::SleepFor(absl::Milliseconds(2));
    v1::JobEvent event;
    event.mutable_job_ended()->set_state(v1::CANCELLED);
    EXPECT_TRUE(store_->Append(job_id, event).ok());
    interrupts_->Cancel(job_id);
  });
  EXPECT_EQ(Drive(job_id), JobDriver::Outcome::kEnded);
  canceller.join();
  EXPECT_EQ(Job(job_id).state(), v1::CANCELLED);
  const absl::Time deadline = absl::Now() + absl::Seconds(30);
  while (worker_.cancelled().empty() && absl::Now() < deadline) absl::SleepFor(absl::Milliseconds(2));
  EXPECT_THAT(worker_.cancelled(), SizeIs(1));
}

TEST_F(JobDriverTest, GoesOnFromItsIncumbentWhenExtended) {
  ScriptedProposer proposer({"100", "50", "25"});
  v1::JobSpec spec = Spec();
  spec.mutable_budget()->set_rounds(2);
  const std::string job_id = RunJob(proposer, spec);
  v1::JobEvent event;
  event.mutable_budget_extended()->mutable_extra()->set_rounds(1);
  ASSERT_TRUE(store_->Append(job_id, event).ok());
  EXPECT_EQ(Drive(job_id), JobDriver::Outcome::kEnded);
  const v1::Job job = Job(job_id);
  EXPECT_EQ(job.state(), v1::SUCCEEDED);
  EXPECT_EQ(job.rounds_done(), 3);
  EXPECT_EQ(job.best_us(), 25);
  EXPECT_EQ(History(job_id).rounds[2].started.start_round(), 2);
}

TEST_F(JobDriverTest, StopsWithoutEndingTheJobAtShutdown) {
  ScriptedProposer proposer({"hang"});
  Open(proposer);
  const std::string job_id = Submit(Spec());
  std::thread stopper([&] {
    while (worker_.runs().empty()) absl::SleepFor(absl::Milliseconds(2));
    interrupts_->StopAll();
    queue_->Stop();
  });
  EXPECT_EQ(Drive(job_id), JobDriver::Outcome::kInterrupted);
  stopper.join();
  EXPECT_EQ(Job(job_id).state(), v1::RUNNING_ROUND);
  EXPECT_THAT(worker_.cancelled(), IsEmpty());
}

}  // namespace
}  // namespace kernelsmith::server
