// Plans in their jail: what they answer, and every way in which they fail to.
#include "worker/devices/ascend/planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/worker/ascend/plan_object.h"

namespace kernelsmith::worker {
namespace {

using ::testing::HasSubstr;

class PlannerTest : public ::testing::Test {
 protected:
  absl::StatusOr<CheckedPlan> Ask(const std::string& source) {
    PlanQuestion question;
    question.object.plan_path = testing_support::CompilePlan(folder_.path(), "plan", source);
    question.object.kernels = {{"twice", 3}};
    question.cores = 40;
    question.program = std::string(KERNELSMITH_BIN_DIR) + "/kernelsmith-plan";
    question.limit = limit_;
    const auto pool = *SlotPool::Create(testing_support::FloatCase(1000), 1);
    return AskPlan(question, *pool);
  }
  std::string Entry(const std::string& body) {
    return "#include <cstdlib>\n#include <cstring>\n#include <stdexcept>\n#include <new>\nextern \"C\" int "
           "ks_plan(const "
           "ks_call* call, ks_plan* plan) { (void)call; (void)plan; " +
           body + " }\n";
  }

  common::TemporaryFolder folder_ = *common::TemporaryFolder::Make("planner-test");
  absl::Duration limit_ = absl::Seconds(20);
};

TEST_F(PlannerTest, APlanSeesShapesAndCoresAndNoData) {
  const auto plan = Ask(testing_support::OneLaunch("twice"));
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->launches.size(), 1u);
  EXPECT_EQ(plan->launches[0].blocks, 8u);
  int32_t tiling[2];
  std::memcpy(tiling, plan->tiling.data(), sizeof tiling);
  EXPECT_EQ(tiling[0], 1000);
  EXPECT_EQ(tiling[1], 40);
}

TEST_F(PlannerTest, APlanSeesAttributes) {
  const auto plan =
      Ask(Entry("return call->n_attributes == 1 && !strcmp(call->attributes[0].name, \"eps\") && "
                "!strcmp(call->attributes[0].json, \"1e-5\") ? 5 : 6;"));
  EXPECT_THAT(std::string(plan.status().message()), HasSubstr("ks_plan returned 5 for case c0"));
}

TEST_F(PlannerTest, EveryFailureIsToldInWords) {
  const std::pair<std::string, const char*> cases[] = {
      {Entry("return 3;"), "ks_plan returned 3"},
      {Entry("return 0;"), "it launches nothing"},
      {Entry("*(volatile int*)8 = 1; return 0;"), "ks_plan died of SIGSEGV"},
      {Entry("abort();"), "ks_plan died of SIGABRT"},
      {Entry("exit(4);"), "exit code 4"},
      {Entry("_Exit(0);"), "without an answer"},
      {Entry("throw std::runtime_error(\"too small\");"), "threw an exception: too small"},
      {Entry("throw 1;"), "no std::exception"},
      {Entry("ks_add_launch(plan, \"other\", 1); return 0;"), "names no kernel"},
      {Entry("plan->n_launches = 4000000000u; return 0;"), "at most 16"},
      {Entry("plan->tiling_bytes = 8; return 0;"), "launches nothing"},
      {"extern \"C\" int missing();\nextern \"C\" int ks_plan(const ks_call*, ks_plan*) { return missing(); }\n",
       "cannot be loaded"},
  };
  for (const auto& [source, says] : cases) {
    const absl::Status status = Ask(source).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(says));
  }
}

TEST_F(PlannerTest, APlanThatNeverReturnsIsEnded) {
  limit_ = absl::Seconds(1);
  const absl::Status status = Ask(Entry("for (volatile int i = 0;; i = i + 1) {}")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(status.message()), HasSubstr("did not return within 1s"));
}

}  // namespace
}  // namespace kernelsmith::worker
