// Worked examples E1, E2 and E3 of the specification.
#include "memory/values/q_value.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kernelsmith::memory {
namespace {

PolicyRules Rules(const std::string& preset) {
  v1::Policy policy;
  policy.set_preset(preset);
  return *ResolvePolicy(policy);
}

TEST(UpdatedQ, MovesByAlphaTowardsTheRewardE1) {
  double q = 0;
  const double expected[] = {0.3, 0.51, 0.057};
  const double rewards[] = {1, 1, -1};
  for (int i = 0; i < 3; ++i) {
    q = UpdatedQ(q, rewards[i], 0.3);
    EXPECT_NEAR(q, expected[i], 1e-12) << i;
  }
}

TEST(DraftingReward, IsOneForAFeasibleAttemptAndMinusOneOtherwise) {
  EXPECT_EQ(DraftingReward(true), 1);
  EXPECT_EQ(DraftingReward(false), -1);
}

TEST(RefiningReward, ComparesWithTheBestBeforeE2) {
  const std::pair<double, double> cases[] = {{0.5, 0.6}, {1, 0}, {2, -0.6}, {0.9, 0.104972}, {0.1, 0.980198}};
  for (const auto& [latency, reward] : cases) EXPECT_NEAR(RefiningReward(true, 1, latency), reward, 1e-6) << latency;
}

TEST(RefiningReward, EqualsTheHyperbolicTangentOfTheLogRatio) {
  for (const double best : {0.01, 1.0, 37.5, 1e6}) {
    for (const double latency : {0.02, 0.9, 40.0, 2e6}) {
      EXPECT_NEAR(RefiningReward(true, best, latency), std::tanh(std::log(best) - std::log(latency)), 1e-12);
      EXPECT_EQ(RefiningReward(true, best, latency), -RefiningReward(true, latency, best)) << "antisymmetric";
    }
  }
}

TEST(RefiningReward, StaysFiniteForExtremeLatencies) {
  EXPECT_EQ(RefiningReward(true, 1e300, 1e-300), 1);
  EXPECT_EQ(RefiningReward(true, 1e-300, 1e300), -1);
}

TEST(RefiningReward, PunishesTheInfeasibleAndLeavesTheUnmeasuredNeutral) {
  EXPECT_EQ(RefiningReward(false, 1, 0.5), -1);
  EXPECT_EQ(RefiningReward(true, 1, 0), 0);
  EXPECT_EQ(RefiningReward(true, 0, 1), 0);
  EXPECT_EQ(RefiningReward(true, std::nan(""), 1), 0);
}

TEST(RewardNormaliser, UpdatesThenNormalisesE3) {
  RewardNormaliser normaliser;
  const std::pair<double, double> cases[] = {{0.6, 0.6}, {0, -1}, {-1, -1.313198}, {0.6, 0.841191}};
  for (const auto& [raw, normalised] : cases) EXPECT_NEAR(normaliser.UpdateAndNormalise(raw), normalised, 1e-6) << raw;
  EXPECT_EQ(normaliser.count(), 4);
}

TEST(RewardNormaliser, AgreesWithMeanAndPopulationDeviation) {
  RewardNormaliser normaliser;
  const double rewards[] = {0.1, -0.7, 0.9, 0.3, -1, -1, 0.55};
  double sum = 0;
  for (const double reward : rewards) {
    normaliser.UpdateAndNormalise(reward);
    sum += reward;
  }
  const double mean = sum / 7;
  double squares = 0;
  for (const double reward : rewards) squares += (reward - mean) * (reward - mean);
  EXPECT_NEAR(normaliser.mean(), mean, 1e-12);
  EXPECT_NEAR(normaliser.deviation(), std::sqrt(squares / 7), 1e-12);
}

TEST(RewardNormaliser, ClipsToThreeAndSurvivesASpreadOfNothing) {
  RewardNormaliser equal;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(equal.UpdateAndNormalise(0.5), i == 0 ? 0.5 : 0.0);
  RewardNormaliser outlier;
  for (int i = 0; i < 50; ++i) outlier.UpdateAndNormalise(0.1);
  EXPECT_EQ(outlier.UpdateAndNormalise(-1), -3);
  EXPECT_EQ(RewardNormaliser().deviation(), 0);
}

TEST(LearningReward, LetsFailuresIntoTheNormaliserOfEvokernelE3) {
  RewardNormaliser normaliser;
  const PolicyRules rules = Rules("evokernel");
  const AttemptOutcome outcomes[] = {{v1::REFINING, true, 1, 0.5},
                                     {v1::REFINING, true, 0.5, 0.5},
                                     {v1::REFINING, false, 0.5, 0},
                                     {v1::REFINING, true, 0.5, 0.25}};
  const double expected[] = {0.6, -1, -1.313198, 0.841191};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(LearningReward(outcomes[i], rules, normaliser), expected[i], 1e-6) << i;
}

TEST(LearningReward, KeepsFailureHurtingUnderCombined) {
  RewardNormaliser normaliser;
  const PolicyRules rules = Rules("combined");
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(LearningReward({v1::REFINING, false, 1, 0}, rules, normaliser), -1) << "however often";
  }
  EXPECT_EQ(normaliser.count(), 0);
  EXPECT_NEAR(LearningReward({v1::REFINING, true, 1, 0.5}, rules, normaliser), 0.6, 1e-12);
  EXPECT_EQ(normaliser.count(), 1);
}

TEST(LearningReward, LeavesDraftingAndRawRewardsAsTheyAre) {
  RewardNormaliser normaliser;
  PolicyRules rules = Rules("evokernel");
  EXPECT_EQ(LearningReward({v1::DRAFTING, true, 0, 10}, rules, normaliser), 1);
  EXPECT_EQ(LearningReward({v1::DRAFTING, false, 0, 0}, rules, normaliser), -1);
  rules.raw_reward = true;
  EXPECT_NEAR(LearningReward({v1::REFINING, true, 1, 2}, rules, normaliser), -0.6, 1e-12);
  EXPECT_EQ(LearningReward({v1::REFINING, false, 1, 0}, rules, normaliser), -1);
  EXPECT_EQ(normaliser, RewardNormaliser());
}

}  // namespace
}  // namespace kernelsmith::memory
