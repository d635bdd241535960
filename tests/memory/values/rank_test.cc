// Worked examples S6 and K4 of docs/memory.md.
#include "memory/values/rank.h"

#include <gtest/gtest.h>

namespace kernelsmith::memory {
namespace {

TEST(UtilityRank, LetsUtilityReorderTheRelevantS6) {
  EXPECT_NEAR(UtilityRank(0.80, -0.2, 0.3), 0.752, 1e-12);
  EXPECT_NEAR(UtilityRank(0.70, 0.5, 0.3), 0.805, 1e-12);
  EXPECT_NEAR(UtilityRank(0.60, 1.0, 0.3), 0.780, 1e-12);
}

TEST(UtilityRank, WithoutGammaIsRelevance) { EXPECT_EQ(UtilityRank(0.7, 0.9, 0), 0.7); }

TEST(CombinedRank, WithoutDownstreamScoreIsTheUtilityRank) {
  EXPECT_EQ(CombinedRank(0.7, 0.5, 1.0, 0.3), UtilityRank(0.7, 0.5, 0.3));
}

TEST(CombinedRank, MovesAtMostATenthEitherWay) {
  EXPECT_GT(CombinedRank(1, 0, 2, 0.3), 1);
  EXPECT_LT(CombinedRank(1, 0, 1e9, 0.3), 1.1 + 1e-9);
  EXPECT_LT(CombinedRank(1, 0, 0.5, 0.3), 1);
  EXPECT_GT(CombinedRank(1, 0, 0, 0.3), 0.9);
}

TEST(RelevanceBand, DividesByThirdsOfTheBest) {
  EXPECT_EQ(RelevanceBand(9, 9), 0);
  EXPECT_EQ(RelevanceBand(6.1, 9), 0);
  EXPECT_EQ(RelevanceBand(5.9, 9), 1);
  EXPECT_EQ(RelevanceBand(2.9, 9), 2);
  EXPECT_EQ(RelevanceBand(0, 0), 0);
}

TEST(LeadsByLabel, OrdersABucketByDiscountedConfidenceK4) {
  const LabelPosition certain{v1::EFFECTIVE, 0, 0.8 * 1.0};
  const LabelPosition usual{v1::EFFECTIVE, 0, 0.9 * 0.8};
  EXPECT_TRUE(LeadsByLabel(certain, usual));
  EXPECT_FALSE(LeadsByLabel(usual, certain));
}

TEST(LeadsByLabel, PutsTheBucketBeforeTheBandAndTheBandBeforeTheScore) {
  EXPECT_TRUE(LeadsByLabel({v1::EFFECTIVE, 2, 0.1}, {v1::PARTIAL, 0, 9}));
  EXPECT_TRUE(LeadsByLabel({v1::PARTIAL, 0, 0.1}, {v1::INEFFECTIVE, 0, 9}));
  EXPECT_TRUE(LeadsByLabel({v1::INEFFECTIVE, 0, 0.1}, {v1::NEGATIVE, 0, 9}));
  EXPECT_TRUE(LeadsByLabel({v1::NEGATIVE, 0, 0.1}, {v1::LABEL_UNSPECIFIED, 0, 9}));
  EXPECT_TRUE(LeadsByLabel({v1::EFFECTIVE, 0, 0.1}, {v1::EFFECTIVE, 1, 9}));
}

}  // namespace
}  // namespace kernelsmith::memory
