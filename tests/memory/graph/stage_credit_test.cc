#include "memory/graph/stage_credit.h"

#include <gtest/gtest.h>

#include "tests/memory/requests.h"

namespace kernelsmith::memory {
namespace {

PolicyRules Rules(const std::string& preset) {
  v1::Policy policy;
  policy.set_preset(preset);
  return *ResolvePolicy(policy);
}

TEST(CreditOf, CountsAnItemOnceThatSeveralRoundsRetrieved) {
  const std::vector<StageRound> rounds = {{.items = {7, 8}, .adopted = {false, false}},
                                          {.items = {8, 9}, .adopted = {true, false}},
                                          {.items = {8}, .adopted = {true}}};
  const StageCredit credit = CreditOf(testing::FinishedStage("s", {}), rounds, Rules("sage_no_ugc"));
  EXPECT_NEAR(credit.z, 0.4, 1e-12);
  ASSERT_EQ(credit.ticks.size(), 3u);
  EXPECT_EQ(credit.adopted_items, std::vector<int>{8});
  const double expected[] = {-0.2, 0.4, -0.2};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(credit.ticks[i].item, 7 + i);
    EXPECT_NEAR(credit.ticks[i].xi, expected[i], 1e-12);
  }
}

TEST(CreditOf, GivesNothingUnderAPolicyWithoutCredit) {
  const std::vector<StageRound> rounds = {{.items = {1}, .adopted = {true}}};
  for (const char* preset : {"pass_at_k", "static_rag", "kope"}) {
    const StageCredit credit = CreditOf(testing::FinishedStage("s", {}), rounds, Rules(preset));
    EXPECT_TRUE(credit.ticks.empty()) << preset;
    EXPECT_TRUE(credit.adopted_items.empty()) << preset;
  }
  PolicyRules frozen = Rules("combined");
  frozen.read_only = true;
  EXPECT_TRUE(CreditOf(testing::FinishedStage("s", {}), rounds, frozen).ticks.empty());
}

TEST(CreditOf, TicksEveryRoundUnderUniformCreditS10) {
  v1::CompleteStageRequest stage = testing::FinishedStage("s", {});
  stage.set_stage(v1::DRAFTING);
  std::vector<StageRound> rounds(5, {.items = {0}, .adopted = {false}});
  rounds[4].correct = true;
  const StageCredit credit = CreditOf(stage, rounds, Rules("value_memory"));
  EXPECT_EQ(credit.z, 1);
  ASSERT_EQ(credit.ticks.size(), 5u);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(credit.ticks[i].xi, -0.2);
  EXPECT_EQ(credit.ticks[4].xi, 1);
}

TEST(CreditOf, RewardsOnlyRoundsThatSetANewBestWhileRefining) {
  const std::vector<StageRound> rounds = {
      {.items = {0}, .adopted = {false}, .correct = true, .latency_us = 800},
      {.items = {1}, .adopted = {false}, .correct = true, .latency_us = 900},
      {.items = {2}, .adopted = {false}, .correct = false, .latency_us = 0},
      {.items = {3}, .adopted = {false}, .correct = true, .latency_us = 600},
  };
  const StageCredit credit = CreditOf(testing::FinishedStage("s", {}), rounds, Rules("value_memory"));
  const double expected[] = {0.2, -0.2, -0.2, 0.4};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(credit.ticks[i].xi, expected[i], 1e-12) << i;
}

}  // namespace
}  // namespace kernelsmith::memory
