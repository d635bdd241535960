// The process that has the card, its jail and its protocol, against a runtime that fails as told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "absl/time/clock.h"
#include "tests/worker/ascend/plan_object.h"
#include "worker/devices/ascend/ascend_process.h"
#include "worker/devices/ascend/ascend_runtime.h"
#include "worker/runner/slot_pool.h"

namespace kernelsmith::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

float* Floats(absl::Span<std::byte> bytes) { return reinterpret_cast<float*>(bytes.data()); }

class AscendProcessTest : public ::testing::Test {
 protected:
  AscendCardOptions Options(const std::string& script = "") {
    AscendCardOptions options;
    options.root.path = SCRIPTED_CANN;
    options.root.version = *ParseCannVersion("version=9.1.0");
    options.root.compiler = options.root.path + "/bin/bisheng";
    options.root.library_path = options.root.path + "/lib64";
    options.emulated_soc = script;
    options.runner_path = std::string(KERNELSMITH_BIN_DIR) + "/kernelsmith-ascend-runner";
    options.plan_path = std::string(KERNELSMITH_BIN_DIR) + "/kernelsmith-plan";
    options.cores = 40;
    options.on_card_trouble = [this](const std::string& text) { trouble_ = text; };
    return options;
  }

  // Compiled once in this program.
  static std::string PlanFor(const std::string& kernel) {
    static const common::TemporaryFolder folder = *common::TemporaryFolder::Make("ascend-process-test");
    static auto& plans = *new std::map<std::string, std::string>();
    std::string& path = plans[kernel];
    if (path.empty()) {
      path = testing_support::CompilePlan(folder.path(), kernel, testing_support::OneLaunch(kernel));
    }
    return path;
  }

  RunSpec Spec(const std::string& kernel) {
    RunSpec spec;
    spec.object.object_path = std::string(SCRIPTED_CANN) + "/libscripted_kernels.so";
    spec.object.plan_path = PlanFor(kernel);
    spec.object.kernels = {{"twice", 3}, {"beside", 3}, {"mutate", 3}, {"before", 3}};
    return spec;
  }

  // One batch of the slots 2 and 0 of three.
  BatchOutcome Run(const std::string& kernel, const std::string& script = "") {
    auto process = StartAscendProcess(Options(script), Spec(kernel), nullptr);
    EXPECT_TRUE(process.ok()) << process.status();
    if (!process.ok()) return {};
    pool_ = *SlotPool::Create(testing_support::FloatCase(1000), 3);
    for (int slot = 0; slot < 3; ++slot) {
      std::iota(Floats(pool_->Input(slot, 0)), Floats(pool_->Input(slot, 0)) + 1000, static_cast<float>(slot));
    }
    const auto handle = (*process)->AddPool(*pool_);
    EXPECT_TRUE(handle.ok()) << handle.status();
    auto outcome = (*process)->RunBatch(*handle, {2, 0}, TimeLimit(absl::Seconds(30)));
    EXPECT_TRUE(outcome.ok()) << outcome.status();
    tasks_ = (*process)->CountTasks();
    exit_ = (*process)->Quit();
    return *outcome;
  }

  std::unique_ptr<SlotPool> pool_;
  std::string trouble_;
  int tasks_ = 0;
  ExitReport exit_;
};

TEST_F(AscendProcessTest, RunsTheSlotsOfABatchAndReadsTheirEvents) {
  const BatchOutcome outcome = Run("twice");
  EXPECT_EQ(outcome.end, BatchEnd::kDone) << outcome.detail;
  EXPECT_EQ(outcome.tasks, 1);
  for (const int slot : {0, 2}) {
    EXPECT_EQ(Floats(pool_->Output(slot, 0))[7], 2.0f * (7 + static_cast<float>(slot)));
    EXPECT_EQ(pool_->PoisonedElements(slot, 0), 0);
    EXPECT_TRUE(pool_->GuardsIntact(slot));
  }
  EXPECT_EQ(pool_->PoisonedElements(1, 0), 1000);
  ASSERT_TRUE(outcome.device.has_value());
  EXPECT_THAT(outcome.device->call_us, ElementsAre(::testing::DoubleNear(10, 0.1), ::testing::DoubleNear(10, 0.1)));
  EXPECT_EQ(outcome.device->launch_us.size(), 2u);
  EXPECT_NEAR(outcome.device->batch_us, 50, 0.5);
  EXPECT_EQ(tasks_, 1);
  EXPECT_EQ(exit_.kind, ExitKind::kExited);
  EXPECT_EQ(exit_.code, 0);
}

TEST_F(AscendProcessTest, DescribesTheCard) {
  const auto facts = DescribeAscendCard(Options());
  ASSERT_TRUE(facts.ok()) << facts.status();
  EXPECT_EQ(facts->soc, "Ascend910B3");
  EXPECT_EQ(facts->devices, 2);
  EXPECT_EQ(facts->aiv_cores, 40);
  EXPECT_FALSE(facts->emulated());
}

TEST_F(AscendProcessTest, AWriteBesideAnOutputIsFoundOnBothSides) {
  for (const char* kernel : {"beside", "before"}) {
    const BatchOutcome outcome = Run(kernel);
    EXPECT_EQ(outcome.end, BatchEnd::kJudged);
    EXPECT_EQ(outcome.status, v1::RUNTIME_ERROR);
    EXPECT_THAT(outcome.detail, HasSubstr("wrote beside output 0"));
    EXPECT_EQ(outcome.tasks, 1);
  }
}

TEST_F(AscendProcessTest, AChangedInputIsFound) {
  const BatchOutcome outcome = Run("mutate");
  EXPECT_EQ(outcome.status, v1::INPUT_MUTATED);
  EXPECT_THAT(outcome.detail, HasSubstr("changed input 0"));
}

TEST_F(AscendProcessTest, ErrorsOfTheDeviceAreClassifiedAndTheProcessDiscarded) {
  struct Case {
    const char* script;
    v1::EvaluationStatus status;
    bool trouble;
  };
  const Case cases[] = {
      {"sync=507035", v1::RUNTIME_ERROR, false},
      {"sync=507014", v1::TIMEOUT, false},
      {"sync=507046", v1::TIMEOUT, false},
      {"sync=507054", v1::INFRASTRUCTURE, true},
  };
  for (const Case& entry : cases) {
    trouble_.clear();
    const BatchOutcome outcome = Run("twice", entry.script);
    EXPECT_EQ(outcome.end, BatchEnd::kJudged);
    EXPECT_EQ(outcome.status, entry.status) << entry.script;
    EXPECT_THAT(outcome.detail, HasSubstr("there is an exception of aivec error"));
    EXPECT_EQ(outcome.tasks, 0);
    EXPECT_EQ(tasks_, 0);
    EXPECT_EQ(!trouble_.empty(), entry.trouble) << entry.script;
  }
}

TEST_F(AscendProcessTest, ACardThatCannotBeOpenedIsNoCandidatesFault) {
  const std::pair<const char*, const char*> cases[] = {
      {"stub", "is a stub for linking (error 100039)"},
      {"nodevice", "error 107001 INVALID_DEVICEID from aclrtSetDevice): EE1001"},
      {"set=507899", "error 507899"},
  };
  for (const auto& [script, says] : cases) {
    ExitReport exit;
    exit.wall = -absl::Seconds(1);
    const absl::Status status = StartAscendProcess(Options(script), Spec("twice"), &exit).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << script;
    EXPECT_THAT(std::string(status.message()), HasSubstr(says));
    EXPECT_LT(exit.wall, absl::ZeroDuration()) << "an exit would make it a verdict";
  }
  EXPECT_FALSE(trouble_.empty());
}

TEST_F(AscendProcessTest, AMissingLibraryIsNamed) {
  AscendCardOptions options = Options();
  options.root.library_path = "/nowhere";
  EXPECT_THAT(std::string(DescribeAscendCard(options).status().message()),
              HasSubstr("neither libascendcl.so nor libacl_rt.so"));
}

TEST_F(AscendProcessTest, MemoryOfTheCardCanRunOut) {
  auto process = StartAscendProcess(Options("malloc=207001"), Spec("twice"), nullptr);
  ASSERT_TRUE(process.ok()) << process.status();
  const auto pool = *SlotPool::Create(testing_support::FloatCase(10), 1);
  const absl::Status status = (*process)->AddPool(*pool).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("207001"));
}

TEST_F(AscendProcessTest, AnObjectWithoutALauncherIsRefused) {
  RunSpec spec = Spec("twice");
  spec.object.object_path = std::string(SCRIPTED_CANN) + "/lib64/libascendcl.so";
  ExitReport exit;
  const absl::Status status = StartAscendProcess(Options(), spec, &exit).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("the object cannot be loaded: "));
}

TEST_F(AscendProcessTest, AKillFromOutsideIsACancellation) {
  auto process = StartAscendProcess(Options(), Spec("twice"), nullptr);
  ASSERT_TRUE(process.ok()) << process.status();
  const auto pool = *SlotPool::Create(testing_support::FloatCase(10), 1);
  const int handle = *(*process)->AddPool(*pool);
  (*process)->Kill();
  const BatchOutcome outcome = *(*process)->RunBatch(handle, {0}, TimeLimit(absl::Seconds(10)));
  EXPECT_EQ(outcome.end, BatchEnd::kDied);
  EXPECT_EQ((*process)->exit().kind, ExitKind::kKilled);
}

TEST(AscendTimingTest, TheClockIsTheCards) {
  const absl::Status none = absl::FailedPreconditionError("there is none");
  EXPECT_EQ(AscendTimingPolicy(false, none).clock, v1::DEVICE_EVENT);
  EXPECT_EQ(AscendTimingPolicy(true, none).clock, v1::SIMULATED);
  EXPECT_EQ(SlotsFor(1 << 30, AscendTimingPolicy(true, none).pool), 3);
  EXPECT_EQ(SlotsFor(16, AscendTimingPolicy(true, none).pool), 3);
  EXPECT_EQ(SlotsFor(16, AscendTimingPolicy(false, none).pool), 64);
}

}  // namespace
}  // namespace kernelsmith::worker
