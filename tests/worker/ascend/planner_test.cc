// Plans in their jail: what they answer, and every way in which they fail to.
#include "worker/devices/ascend/planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/worker/ascend/plan_object.h"

namespace kernelsmith::worker {
namespace {

using ::testing::HasSubstr;

// One plan that behaves as the attribute "mode" says.
constexpr const char* kBehaviours = R"(
#include <cstdlib>
#include <cstring>
#include <stdexcept>

static int32_t tiling[8];

extern "C" int ks_plan(const ks_call* call, ks_plan* plan) {
  if (call->n_attributes != 1 || strcmp(call->attributes[0].name, "mode") != 0) return 66;
  if (call->inputs[0].data != nullptr || call->outputs[0].data != nullptr) return 77;
  const char* mode = call->attributes[0].json;
  if (!strcmp(mode, "return")) return 3;
  if (!strcmp(mode, "nothing")) return 0;
  if (!strcmp(mode, "crash")) *(volatile int*)8 = 1;
  if (!strcmp(mode, "abort")) abort();
  if (!strcmp(mode, "exit")) exit(4);
  if (!strcmp(mode, "silent")) _Exit(0);
  if (!strcmp(mode, "throw")) throw std::runtime_error("too small");
  if (!strcmp(mode, "throw 1")) throw 1;
  if (!strcmp(mode, "many")) { plan->n_launches = 4000000000u; return 0; }
  if (!strcmp(mode, "tiling")) { ks_add_launch(plan, "none", 1); plan->tiling_bytes = 8; return 0; }
  if (!strcmp(mode, "hang")) for (;;) (void)*(volatile const char*)mode;
  tiling[0] = static_cast<int32_t>(call->inputs[0].shape[0]);
  tiling[1] = static_cast<int32_t>(call->cpu_count);
  plan->tiling = tiling;
  plan->tiling_bytes = sizeof tiling;
  ks_launch* launch = ks_add_launch(plan, strcmp(mode, "other") ? "twice" : "other", 8);
  ks_add_input(launch, 0);
  ks_add_output(launch, 0);
  ks_add_tiling(launch, 0);
  return 0;
}
)";

class PlannerTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new common::TemporaryFolder(*common::TemporaryFolder::Make("planner-test"));
    plan_ = testing_support::CompilePlan(folder_->path(), "plan", kBehaviours);
  }
  static void TearDownTestSuite() { delete folder_; }

  absl::StatusOr<CheckedPlan> Ask(const std::string& mode, const std::string& object = plan_) {
    PlanQuestion question;
    question.object.plan_path = object;
    question.object.kernels = {{"twice", 3}};
    question.cores = 40;
    question.program = std::string(KERNELSMITH_BIN_DIR) + "/kernelsmith-plan";
    question.limit = limit_;
    v1::TaskCase task_case = testing_support::FloatCase(1000);
    task_case.clear_attributes();
    (*task_case.mutable_attributes())["mode"] = mode;
    const auto pool = *SlotPool::Create(task_case, 1);
    return AskPlan(question, *pool);
  }

  static common::TemporaryFolder* folder_;
  static std::string plan_;
  absl::Duration limit_ = absl::Seconds(20);
};
common::TemporaryFolder* PlannerTest::folder_ = nullptr;
std::string PlannerTest::plan_;

TEST_F(PlannerTest, APlanSeesShapesAttributesAndCoresAndNoData) {
  const auto plan = Ask("sound");
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->launches.size(), 1u);
  EXPECT_EQ(plan->launches[0].blocks, 8u);
  int32_t tiling[2];
  std::memcpy(tiling, plan->tiling.data(), sizeof tiling);
  EXPECT_EQ(tiling[0], 1000);
  EXPECT_EQ(tiling[1], 40);
}

TEST_F(PlannerTest, EveryFailureIsToldInWords) {
  const std::pair<const char*, const char*> cases[] = {
      {"return", "ks_plan returned 3 for case c0; 0 is success"},
      {"nothing", "it launches nothing"},
      {"crash", "ks_plan died of SIGSEGV"},
      {"abort", "ks_plan died of SIGABRT"},
      {"exit", "exit code 4"},
      {"silent", "without an answer"},
      {"throw", "threw an exception: too small"},
      {"throw 1", "no std::exception"},
      {"other", "names no kernel"},
      {"many", "at most 16"},
      {"tiling", "tiling is null"},
  };
  for (const auto& [mode, says] : cases) {
    const absl::Status status = Ask(mode).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(says));
  }
}

TEST_F(PlannerTest, AnObjectWithoutAPlanIsRefused) {
  const std::string object = testing_support::CompilePlan(folder_->path(), "empty", "int nothing;\n");
  EXPECT_THAT(std::string(Ask("sound", object).status().message()), HasSubstr("the plan cannot be loaded"));
}

TEST_F(PlannerTest, APlanThatNeverReturnsIsEnded) {
  limit_ = absl::Seconds(1);
  const absl::Status status = Ask("hang").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(status.message()), HasSubstr("did not return within 1s"));
}

}  // namespace
}  // namespace kernelsmith::worker
