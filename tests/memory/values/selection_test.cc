// Worked example M1 of the specification, and exploration by a recorded seed.
#include "memory/values/selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace kernelsmith::memory {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;

std::vector<int> Indexes(const std::vector<Pick>& picks) {
  std::vector<int> indexes;
  for (const Pick& pick : picks) indexes.push_back(pick.index);
  return indexes;
}

TEST(EpsilonGreedy, TakesTheBestWithoutExploration) {
  const std::vector<double> q = {0.1, 0.9, -0.5, 0.9, 0.3};
  EXPECT_THAT(Indexes(EpsilonGreedy(q, 3, 0, 1)), ElementsAre(1, 3, 4)) << "of equal ones the earlier";
  EXPECT_THAT(Indexes(EpsilonGreedy(q, 99, 0, 1)), ElementsAre(1, 3, 4, 0, 2));
  EXPECT_THAT(Indexes(EpsilonGreedy({}, 3, 0.5, 1)), ElementsAre());
  EXPECT_THAT(Indexes(EpsilonGreedy(q, 0, 0.5, 1)), ElementsAre());
}

TEST(EpsilonGreedy, GivesTheSameChoiceForTheSameSeedOnEveryPlatform) {
  const std::vector<double> q = {0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0};
  EXPECT_EQ(EpsilonGreedy(q, 5, 0.5, 42), EpsilonGreedy(q, 5, 0.5, 42));
  EXPECT_THAT(EpsilonGreedy(q, 5, 0.5, 42),
              ElementsAre(Pick{0, false}, Pick{1, true}, Pick{4, true}, Pick{2, false}, Pick{6, true}));
  EXPECT_NE(EpsilonGreedy(q, 5, 0.5, 42), EpsilonGreedy(q, 5, 0.5, 43));
}

TEST(EpsilonGreedy, NeverRepeatsAnItemAndMarksWhatChanceChose) {
  const std::vector<double> q(20, 0.5);
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const std::vector<Pick> picks = EpsilonGreedy(q, 12, 1, seed);
    std::set<int> distinct;
    for (const Pick& pick : picks) {
      EXPECT_TRUE(pick.explored);
      distinct.insert(pick.index);
    }
    EXPECT_EQ(distinct.size(), 12u);
  }
}

TEST(EpsilonGreedy, ExploresEachPlaceAsOftenAsEpsilonSays) {
  const std::vector<double> q = {5, 4, 3, 2, 1};
  int explored[3] = {};
  for (uint64_t seed = 0; seed < 10'000; ++seed) {
    const std::vector<Pick> picks = EpsilonGreedy(q, 3, 0.1, seed);
    for (int i = 0; i < 3; ++i) explored[i] += picks[i].explored ? 1 : 0;
  }
  for (const int count : explored) EXPECT_NEAR(count, 1000, 150);
}

TEST(EpsilonGreedyOrder, KeepsAnOrderThatIsNoNumber) {
  const std::vector<int> order = {4, 2, 0};
  EXPECT_THAT(Indexes(EpsilonGreedyOrder(order, 2, 0, 7)), ElementsAre(4, 2));
}

TEST(ChooseStartPoint, TakesTheBestByQUnlessChanceDecides) {
  const std::vector<double> q = {-0.2, 0.4, 0.1};
  EXPECT_EQ(ChooseStartPoint(q, 0, 3), (Pick{1, false}));
  EXPECT_TRUE(ChooseStartPoint(q, 1, 3).explored);
  EXPECT_EQ(ChooseStartPoint({}, 0.5, 3), Pick());
}

TEST(ZScoreRank, BalancesSimilarityAndQM1) {
  const std::vector<double> similarity = {0.60, 0.55, 0.50};
  const std::vector<double> q = {-0.3, 0.3, 0.9};
  EXPECT_THAT(ZScoreRank(similarity, {0.31, 0.10}, q), Pointwise(DoubleNear(1e-4), {0.8376, 1.2, 1.5624}));
}

TEST(ZScoreRank, IgnoresWhatDoesNotDiffer) {
  const std::vector<double> similarity = {0.6, 0.4};
  const std::vector<double> q = {0.2, 0.2};
  EXPECT_THAT(ZScoreRank(similarity, SpreadOf(similarity), q), Pointwise(DoubleNear(1e-9), {0.5, -0.5}));
  EXPECT_TRUE(ZScoreRank({}, {}, {}).empty());
}

}  // namespace
}  // namespace kernelsmith::memory
