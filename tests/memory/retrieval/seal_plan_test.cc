#include "memory/retrieval/search/seal_plan.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kernelsmith::memory {
namespace {

struct Row {
  std::vector<int64_t> segments;
  int64_t unsealed;
  size_t first_segment;
  int64_t items;
};

TEST(SealPlan, TakesSmallNeighboursAlong) {
  const Row rows[] = {
      {{}, 20, 0, 20},              // the first segment
      {{}, 0, 0, 0},                // nothing to seal
      {{100}, 0, 1, 0},             // nothing new
      {{1000, 20, 20}, 20, 1, 60},  // the two small ones join, the large one stays
      {{100, 20, 20}, 20, 0, 160},  // together they are large enough for all
      {{1000}, 20, 1, 20},          // a large one stays as it is
  };
  for (const Row& row : rows) {
    const SealPlan plan = PlanSeal(row.segments, row.unsealed);
    EXPECT_EQ(plan.first_segment, row.first_segment);
    EXPECT_EQ(plan.items, row.items);
  }
}

TEST(SealPlan, AllGoesIntoOneSegmentUnlessItIsSo) {
  EXPECT_EQ(PlanSealAll({100, 20}, 0).items, 120);
  EXPECT_EQ(PlanSealAll({100}, 5).items, 105);
  EXPECT_EQ(PlanSealAll({100}, 5).first_segment, 0U);
  EXPECT_EQ(PlanSealAll({100}, 0).items, 0);
  EXPECT_EQ(PlanSealAll({}, 0).items, 0);
  EXPECT_EQ(PlanSealAll({}, 7).items, 7);
}

TEST(SealPlan, AMillionItemsStayInFewSegmentsAndAreSealedFewTimes) {
  constexpr int64_t kStep = 20'000;
  std::vector<int64_t> segments;
  int64_t written = 0;
  int64_t total = 0;
  for (; total < 1'000'000; total += kStep) {
    const SealPlan plan = PlanSeal(segments, kStep);
    segments.resize(plan.first_segment);
    segments.push_back(plan.items);
    written += plan.items;
    EXPECT_LE(segments.size(), 5U);
  }
  EXPECT_LE(static_cast<double>(written) / static_cast<double>(total), 6.0);
}

}  // namespace
}  // namespace kernelsmith::memory
