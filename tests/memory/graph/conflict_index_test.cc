#include "memory/graph/conflict_index.h"

#include <gtest/gtest.h>

namespace kernelsmith::memory {
namespace {

TEST(ConflictsWithin, PairsEffectiveWithNegativeAndUsefulWithHarmful) {
  const std::vector<ItemConflict> conflicts = ConflictsWithin({
      {.item = 1, .label = v1::EFFECTIVE, .r = 1.2},
      {.item = 2, .label = v1::PARTIAL, .r = 1.0},
      {.item = 3, .label = v1::NEGATIVE, .r = 0.5},
      {.item = 4, .u = 0.3},
      {.item = 5, .u = -0.2},
  });
  ASSERT_EQ(conflicts.size(), 2u);
  EXPECT_EQ(conflicts[0].for_item, 1);
  EXPECT_EQ(conflicts[0].against_item, 3);
  EXPECT_EQ(conflicts[0].reason, "the same idea in the same situation was EFFECTIVE (r 1.200) and NEGATIVE (r 0.500)");
  EXPECT_EQ(conflicts[1].for_item, 4);
  EXPECT_EQ(conflicts[1].against_item, 5);
  EXPECT_EQ(conflicts[1].reason, "the same idea in the same situation helped (u +0.300) and hurt (u -0.200)");
}

TEST(ConflictsWithin, LeavesNoPieceOfEvidenceAlone) {
  std::vector<Evidence> situation = {{.item = 0, .label = v1::NEGATIVE, .r = 0.1}};
  for (int i = 1; i <= 3; ++i) situation.push_back({.item = i, .label = v1::EFFECTIVE, .r = 1.0 + i});
  const std::vector<ItemConflict> conflicts = ConflictsWithin(situation);
  ASSERT_EQ(conflicts.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(conflicts[i].for_item, 3 - i) << "the strongest first";
    EXPECT_EQ(conflicts[i].against_item, 0);
  }
}

TEST(ConflictsWithin, ListsAPairOnceAndABoundedNumber) {
  const std::vector<Evidence> both = {{.item = 1, .label = v1::EFFECTIVE, .r = 2, .u = 1},
                                      {.item = 2, .label = v1::NEGATIVE, .r = 0, .u = -1}};
  EXPECT_EQ(ConflictsWithin(both).size(), 1u);
  std::vector<Evidence> crowd;
  for (int i = 0; i < 100; ++i) {
    crowd.push_back({.item = i, .label = i % 2 == 0 ? v1::EFFECTIVE : v1::NEGATIVE, .r = i % 2 == 0 ? 2.0 : 0.0});
  }
  EXPECT_EQ(ConflictsWithin(crowd).size(), static_cast<size_t>(kMostConflictsOfSituation));
}

TEST(ConflictsWithin, SeesNoConflictWhereAllAgree) {
  EXPECT_TRUE(ConflictsWithin({}).empty());
  EXPECT_TRUE(ConflictsWithin({{.item = 1, .label = v1::EFFECTIVE, .r = 2, .u = 0.5},
                               {.item = 2, .label = v1::EFFECTIVE, .r = 1.5, .u = 0.1}})
                  .empty());
}

}  // namespace
}  // namespace kernelsmith::memory
