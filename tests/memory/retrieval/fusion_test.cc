#include "memory/retrieval/fusion.h"

#include <gtest/gtest.h>

namespace kernelsmith::memory {
namespace {

TEST(Fusion, AnItemThatLeadsBothListsHasOne) {
  const std::vector<FusedHit> hits = Fuse({{4, 9.0}}, {{4, 0.9}});
  ASSERT_EQ(hits.size(), 1U);
  EXPECT_DOUBLE_EQ(hits[0].fused, 1.0);
  EXPECT_EQ(hits[0].lexical_rank, 1);
  EXPECT_EQ(hits[0].vector_rank, 1);
  EXPECT_DOUBLE_EQ(hits[0].lexical, 9.0);
  EXPECT_DOUBLE_EQ(hits[0].similarity, 0.9);
}

TEST(Fusion, WhatBothHalvesFindStandsBeforeWhatOneFinds) {
  const std::vector<FusedHit> hits = Fuse({{7, 9.1}, {3, 8.0}}, {{3, 0.8}, {5, 0.7}});
  ASSERT_EQ(hits.size(), 3U);
  EXPECT_EQ(hits[0].item, 3);
  EXPECT_EQ(hits[1].item, 7);
  EXPECT_EQ(hits[2].item, 5);
  EXPECT_DOUBLE_EQ(hits[1].fused, 0.5);
  EXPECT_DOUBLE_EQ(hits[0].fused, (1.0 / 12 + 1.0 / 11) / (2.0 / 11));
  EXPECT_EQ(hits[2].lexical_rank, 0);
}

TEST(Fusion, OfEqualScoresTheLaterItemStandsFirst) {
  const std::vector<FusedHit> hits = Fuse({{2, 5.0}}, {{9, 0.5}});
  ASSERT_EQ(hits.size(), 2U);
  EXPECT_EQ(hits[0].item, 9);
  EXPECT_EQ(hits[1].item, 2);
}

TEST(Fusion, EqualScoresShareARank) {
  const std::vector<FusedHit> hits = Fuse({{9, 2.0}, {4, 2.0}, {1, 1.0}}, {});
  ASSERT_EQ(hits.size(), 3U);
  EXPECT_EQ(hits[0].item, 9);
  EXPECT_EQ(hits[1].item, 4);
  EXPECT_DOUBLE_EQ(hits[0].fused, hits[1].fused);
  EXPECT_EQ(hits[1].lexical_rank, 1);
  EXPECT_EQ(hits[1].lexical_place, 1);
  EXPECT_EQ(hits[2].lexical_rank, 3);
}

TEST(Fusion, OneHalfAloneKeepsItsOrder) {
  const std::vector<FusedHit> hits = Fuse({{1, 3.0}, {2, 2.0}, {3, 1.0}}, {});
  ASSERT_EQ(hits.size(), 3U);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(hits[i].item, i + 1);
  EXPECT_TRUE(Fuse({}, {}).empty());
}

}  // namespace
}  // namespace kernelsmith::memory
