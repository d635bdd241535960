// Worked examples K1, K2, K3 and K6 of docs/memory.md.
#include "memory/values/lineage_effect.h"

#include <gtest/gtest.h>

namespace kernelsmith::memory {
namespace {

double EffectOf(bool correct, bool root, double a, double a_prev) { return Effect({correct, root, a, a_prev}); }

double Score(double r, std::vector<double> successors, bool literal = false) {
  return DownstreamScore(r, successors, {.halve_leaves = literal});
}

TEST(Effect, ComparesWithThePredecessorK1) {
  EXPECT_NEAR(EffectOf(true, true, 1, 0), 1, 1e-12);
  EXPECT_NEAR(EffectOf(true, false, 1.25, 1), 1.25, 1e-12);
  EXPECT_NEAR(EffectOf(true, false, 0.75, 1), 0.75, 1e-12);
  EXPECT_NEAR(EffectOf(true, false, 1.5, 1.25), 1.2, 1e-12);
  EXPECT_NEAR(EffectOf(true, false, 1.25, 1.5), 0.833333, 1e-6);
}

TEST(Effect, IsZeroForAFailureAndOneAfterAFailureK2K6) {
  EXPECT_EQ(EffectOf(false, false, 0, 1), 0);
  EXPECT_EQ(EffectOf(false, true, 0, 0), 0);
  EXPECT_EQ(EffectOf(false, false, 0, 0), 0);
  EXPECT_EQ(EffectOf(true, false, 0.9, 0), 1);
  EXPECT_EQ(LabelOf(EffectOf(false, true, 0, 0)), v1::NEGATIVE);
  EXPECT_EQ(LabelOf(EffectOf(true, false, 0.9, 0)), v1::PARTIAL);
}

TEST(EffectiveSpeedup, TreatsAnUnmeasuredCorrectAttemptAsItsPredecessorsEqual) {
  EXPECT_EQ(EffectiveSpeedup({true, true, 0, 0}), 1);
  EXPECT_EQ(EffectiveSpeedup({true, false, 0, 3}), 3);
  EXPECT_EQ(EffectiveSpeedup({true, false, 0, 0}), 1);
  EXPECT_EQ(EffectiveSpeedup({true, false, 2, 3}), 2);
  EXPECT_EQ(EffectiveSpeedup({false, false, 2, 3}), 0);
  EXPECT_EQ(EffectOf(true, false, 0, 3), 1);
}

TEST(LabelOf, HasSlackAtItsBoundariesK3) {
  const std::pair<double, v1::Label> cases[] = {
      {1.05, v1::EFFECTIVE},     {1.89 / 1.8, v1::EFFECTIVE}, {1.0499, v1::PARTIAL},  {1.0, v1::PARTIAL},
      {0.9999, v1::INEFFECTIVE}, {0.85, v1::INEFFECTIVE},     {0.8499, v1::NEGATIVE}, {0.0, v1::NEGATIVE},
  };
  for (const auto& [r, label] : cases) EXPECT_EQ(LabelOf(r), label) << r;
}

TEST(DownstreamScore, DiscountsWhatCameLaterK1) {
  const double d = Score(1.25 / 1.5, {});
  const double c = Score(1.2, {d});
  const double a = Score(1.25, {c});
  const double b = Score(0.75, {});
  EXPECT_NEAR(d, 0.833333, 1e-6);
  EXPECT_NEAR(c, 0.891667, 1e-6);
  EXPECT_NEAR(a, 0.937083, 1e-6);
  EXPECT_NEAR(b, 0.75, 1e-12);
  EXPECT_NEAR(Score(1, {a, b}), 1.090479, 1e-6);
}

TEST(DownstreamScore, HalvesLeavesUnderTheLiteralSwitchK1) {
  const double d = Score(1.25 / 1.5, {}, true);
  const double c = Score(1.2, {d}, true);
  const double a = Score(1.25, {c}, true);
  const double b = Score(0.75, {}, true);
  EXPECT_NEAR(d, 0.416667, 1e-6);
  EXPECT_NEAR(c, 0.745833, 1e-6);
  EXPECT_NEAR(a, 0.886042, 1e-6);
  EXPECT_NEAR(b, 0.375, 1e-12);
  EXPECT_NEAR(Score(1, {a, b}, true), 0.941365, 1e-6);
}

TEST(DownstreamScore, TakesTheMeanUnderItsSwitch) {
  const std::vector<double> successors = {1, 2, 3};
  EXPECT_NEAR(DownstreamScore(1, successors, {}), 0.5 + 0.35 * 6, 1e-12);
  EXPECT_NEAR(DownstreamScore(1, successors, {.mean = true}), 0.5 + 0.35 * 2, 1e-12);
  EXPECT_EQ(DownstreamScore(0.9, {}, {.mean = true}), 0.9);
}

TEST(DownstreamScore, StaysBoundedByTheMeanWhereTheSumDiverges) {
  double sum = 1;
  double mean = 1;
  for (int level = 0; level < 100; ++level) {
    sum = DownstreamScore(1, std::vector<double>(3, sum), {});
    mean = DownstreamScore(1, std::vector<double>(3, mean), {.mean = true});
  }
  EXPECT_GT(sum, 100);
  EXPECT_LE(mean, 1);
}

TEST(DownstreamScore, CreditsAFailureThatLedToACorrectAttemptK2) {
  const double g = Score(1, {});
  const double f = Score(0, {g});
  EXPECT_EQ(g, 1);
  EXPECT_NEAR(f, 0.35, 1e-12);
  EXPECT_NEAR(Score(1, {f}), 0.6225, 1e-12);
}

}  // namespace
}  // namespace kernelsmith::memory
