// Worked examples S1 to S5, S8 and S10 of docs/memory.md.
#include "memory/values/utility.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelsmith::memory {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;

constexpr double kDelta = 0.2;
constexpr double kBeta = 0.2;
constexpr double kEtaMin = 0.05;

// u after the credits `xi`, one stage each, from u = 0.
std::vector<double> UtilitiesAfter(const std::vector<double>& xi) {
  std::vector<double> result;
  double u = 0;
  int64_t n = 0;
  for (const double credit : xi) {
    u = UpdatedUtility(u, credit, LearningRate(++n, kEtaMin));
    result.push_back(u);
  }
  return result;
}

TEST(StageScore, FollowsTheOutcomeOfTheStage) {
  struct {
    StageOutcome outcome;
    double z;
  } const cases[] = {
      {{v1::DRAFTING, true, 0, 0}, 1.0},        {{v1::DRAFTING, false, 0, 0}, -0.2},
      {{v1::REFINING, true, 1000, 600}, 0.4},   {{v1::REFINING, false, 1000, 600}, -0.2},
      {{v1::REFINING, true, 1000, 1000}, -0.2}, {{v1::REFINING, true, 1000, 1200}, -0.2},
  };
  for (const auto& c : cases) EXPECT_NEAR(StageScore(c.outcome, kDelta), c.z, 1e-12);
}

TEST(AdoptionCredit, SharesAnImprovementAmongTheAdoptedS1) {
  const double z = StageScore({v1::REFINING, true, 1000, 600}, kDelta);
  EXPECT_THAT(AdoptionCredit({true, true, false, false}, z, kBeta, false),
              Pointwise(DoubleNear(1e-12), {0.2, 0.2, -0.2, -0.2}));
}

TEST(AdoptionCredit, SharesAFailureAmongTheAdoptedS2) {
  EXPECT_THAT(AdoptionCredit({true, true, false, false}, -kDelta, kBeta, false),
              Pointwise(DoubleNear(1e-12), {-0.1, -0.1, -0.2, -0.2}));
  EXPECT_THAT(AdoptionCredit({true, true, false}, -kDelta, kBeta, true),
              Pointwise(DoubleNear(1e-12), {-0.2, -0.2, -0.2}));
  EXPECT_THAT(AdoptionCredit({false, false, false}, -kDelta, kBeta, false),
              Pointwise(DoubleNear(1e-12), {-0.2, -0.2, -0.2}));
  EXPECT_THAT(AdoptionCredit({false, false}, 1.0, kBeta, false), Pointwise(DoubleNear(1e-12), {-0.2, -0.2}));
}

TEST(LearningRate, FallsWithEveryRetrievalDownToItsFloorS3) {
  const std::pair<int64_t, double> cases[] = {{1, 0.5}, {2, 1.0 / 3},   {3, 0.25},  {4, 0.2},
                                              {9, 0.1}, {18, 1.0 / 19}, {19, 0.05}, {1000, 0.05}};
  for (const auto& [n, eta] : cases) EXPECT_NEAR(LearningRate(n, kEtaMin), eta, 1e-12) << n;
}

TEST(UpdatedUtility, IsTheRunningMeanWithOneZeroInFrontS4) {
  EXPECT_THAT(UtilitiesAfter({1, -0.2, 0.4, 0.2}), Pointwise(DoubleNear(1e-6), {0.5, 0.266667, 0.3, 0.28}));
}

TEST(UpdatedUtility, FallsToZeroOnlyAfterThirtyFiveUnusedStagesAtTheFloorS5) {
  double u = 1;
  int updates = 0;
  while (u > 0) {
    u = UpdatedUtility(u, -kBeta, kEtaMin);
    ++updates;
  }
  EXPECT_EQ(updates, 35);
}

TEST(UpdatedUtility, AccumulatesOverThreeOperatorsS8) {
  EXPECT_THAT(UtilitiesAfter({1, 0.5, 0.2}), Pointwise(DoubleNear(1e-12), {0.5, 0.5, 0.425}));
}

TEST(UniformCredit, DependsOnWhetherTheTickIsARoundOrAStageS10) {
  EXPECT_THAT(UniformCredit(3, 0.4), ::testing::ElementsAre(0.4, 0.4, 0.4));
  EXPECT_NEAR(UtilitiesAfter({-0.2, -0.2, -0.2, -0.2, 1}).back(), 0.0333333, 1e-6);
  EXPECT_NEAR(UtilitiesAfter({1}).back(), 0.5, 1e-12);
}

}  // namespace
}  // namespace kernelsmith::memory
