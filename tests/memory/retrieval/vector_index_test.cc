#include "memory/retrieval/vector/vector_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/memory/retrieval/vector_fixture.h"

namespace kernelsmith::memory {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<VectorHit> BruteForce(uint64_t seed, uint32_t items, const std::vector<float>& query, size_t limit,
                                  const Roaring* allowed) {
  std::vector<VectorHit> hits;
  for (uint32_t item = 0; item < items; ++item) {
    if (item % 13 == 12 || (allowed != nullptr && !allowed->contains(item))) continue;
    hits.push_back({item, TestCosine(query, TestVector(seed, item))});
  }
  std::sort(hits.begin(), hits.end(), [](const VectorHit& a, const VectorHit& b) {
    return a.cosine != b.cosine ? a.cosine > b.cosine : a.item > b.item;
  });
  hits.resize(std::min(hits.size(), limit));
  return hits;
}

void ExpectSame(const absl::StatusOr<std::vector<VectorHit>>& found, const std::vector<VectorHit>& expected) {
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ((*found)[i].item, expected[i].item) << "place " << i;
    EXPECT_EQ((*found)[i].cosine, expected[i].cosine) << "place " << i;
  }
}

class VectorIndexTest : public VectorFixture {
 protected:
  VectorIndex index_{kTestEmbedder, kTestDimensions};
};

TEST_F(VectorIndexTest, ExactScanEqualsAPlainLoopWhateverTheSplit) {
  constexpr uint32_t kItems = 3000;
  Roaring tenth;
  for (uint32_t item = 0; item < kItems; item += 10) tenth.add(item);
  Roaring range;
  range.addRange(700, 1900);
  const Roaring none;
  AddItems(index_, 1, kItems);
  const std::vector<std::pair<uint32_t, uint32_t>> splits = {{0, 0},       {0, 900},  {900, 2100},
                                                             {2100, 2101}, {0, 2101}, {0, kItems}};
  for (const auto& [first, last] : splits) {
    if (last > first) {
      ASSERT_NO_FATAL_FAILURE(Seal(index_, first, last));
    }
    for (uint32_t number = 0; number < 8; ++number) {
      const std::vector<float> query = TestVector(1, 50'000 + number);
      for (const Roaring* const allowed : {static_cast<const Roaring*>(nullptr), static_cast<const Roaring*>(&tenth),
                                           static_cast<const Roaring*>(&range), &none}) {
        const auto expected = BruteForce(1, kItems, query, 40, allowed);
        ExpectSame(index_.Search(query, 40, allowed), expected);
        ExpectSame(index_.SearchExact(query, 40, allowed), expected);
      }
    }
  }
  EXPECT_EQ(index_.delta_vectors(), 0);
  EXPECT_EQ(index_.segments().size(), 1);
}

TEST_F(VectorIndexTest, CodesFindNearlyAllAndFiltersHold) {
  constexpr uint32_t kItems = 40'000;
  AddItems(index_, 2, kItems);
  Roaring most;
  for (uint32_t item = 0; item < kItems; ++item) {
    if (item % 4 != 0) most.add(item);
  }
  ASSERT_NO_FATAL_FAILURE(Seal(index_, 0, kItems, {.codes_from = 1000}));
  ASSERT_TRUE(index_.segments()[0]->has_codes());
  size_t found = 0;
  size_t wanted = 0;
  for (uint32_t number = 0; number < 40; ++number) {
    const std::vector<float> query = TestVector(2, 90'000 + number);
    for (const Roaring* const allowed : {static_cast<const Roaring*>(nullptr), static_cast<const Roaring*>(&most)}) {
      const auto hits = index_.Search(query, 10, allowed);
      const auto exact = index_.SearchExact(query, 10, allowed);
      ASSERT_TRUE(hits.ok() && exact.ok());
      ASSERT_EQ(hits->size(), 10);
      for (const VectorHit& hit : *hits) {
        EXPECT_TRUE(allowed == nullptr || allowed->contains(hit.item));
        found += hit.cosine >= exact->back().cosine ? 1 : 0;
      }
      wanted += 10;
    }
  }
  EXPECT_GE(static_cast<double>(found), 0.95 * static_cast<double>(wanted));
}

TEST_F(VectorIndexTest, EqualVectorsComeLatestFirstThroughCodesToo) {
  for (uint32_t item = 0; item < 30'000; ++item) {
    ASSERT_TRUE(index_.Add(item % 2 == 0 ? std::vector<float>(kTestDimensions, 1) : TestVector(3, item)).ok());
  }
  ASSERT_NO_FATAL_FAILURE(Seal(index_, 0, 30'000, {.codes_from = 1000}));
  EXPECT_LT(index_.segments()[0]->rows(), 16'000);
  const auto hits = index_.Search(std::vector<float>(kTestDimensions, 1), 3, nullptr);
  ASSERT_TRUE(hits.ok());
  std::vector<uint32_t> items;
  for (const VectorHit& hit : *hits) items.push_back(hit.item);
  EXPECT_THAT(items, ElementsAre(29'998, 29'996, 29'994));
  EXPECT_NEAR((*hits)[0].cosine, 1, 1e-6);
}

TEST_F(VectorIndexTest, VectorsCanComeLater) {
  AddItems(index_, 4, 40);
  EXPECT_EQ(index_.without_vector(), 3);
  EXPECT_THAT(index_.ItemsWithoutVector(0, 2), ElementsAre(12, 25));
  EXPECT_THAT(index_.ItemsWithoutVector(13, 9), ElementsAre(25, 38));
  ASSERT_NO_FATAL_FAILURE(Seal(index_, 0, 30));
  EXPECT_EQ(index_.without_vector(), 3);
  ASSERT_TRUE(index_.AddVector(12, TestVector(9, 7)).ok());
  EXPECT_EQ(index_.without_vector(), 2);
  EXPECT_EQ(index_.AddVector(12, TestVector(9, 7)).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(index_.AddVector(40, TestVector(9, 7)).code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(index_.AddVector(25, {}).code(), absl::StatusCode::kInvalidArgument);
  const auto before = index_.Search(TestVector(9, 7), 1, nullptr);
  ASSERT_TRUE(before.ok());
  EXPECT_EQ((*before)[0].item, 12);
  ASSERT_NO_FATAL_FAILURE(Seal(index_, 0, 40));
  EXPECT_EQ(index_.delta_vectors(), 0);
  EXPECT_EQ(index_.without_vector(), 2);
  ExpectSame(index_.Search(TestVector(9, 7), 1, nullptr), *before);
}

TEST_F(VectorIndexTest, WhatCameDuringABuildStaysInTheDelta) {
  AddItems(index_, 5, 20);
  const SegmentRows rows = index_.Rows(0, 20);
  ASSERT_TRUE(index_.AddVector(12, TestVector(9, 7)).ok());
  AddItems(index_, 5, 25);
  ASSERT_TRUE(BuildSegment(rows, Path("a"), {}).ok());
  const auto segment = VectorSegment::Open(Path("a"), kTestEmbedder, kTestDimensions);
  ASSERT_TRUE(segment.ok());
  ASSERT_TRUE(index_.Swap(*segment).ok());
  EXPECT_EQ(index_.delta_vectors(), 6);  // of 12 and of 20 to 24
  const auto hits = index_.Search(TestVector(9, 7), 1, nullptr);
  ASSERT_TRUE(hits.ok());
  EXPECT_EQ((*hits)[0].item, 12);
}

TEST_F(VectorIndexTest, SegmentsOfAnEarlierRunExtendAnEmptyIndex) {
  AddItems(index_, 6, 300);
  ASSERT_NO_FATAL_FAILURE(Seal(index_, 0, 100));
  ASSERT_NO_FATAL_FAILURE(Seal(index_, 100, 300));
  VectorIndex next(kTestEmbedder, kTestDimensions);
  for (const auto& segment : index_.segments()) ASSERT_TRUE(next.Swap(segment).ok());
  EXPECT_EQ(next.size(), 300);
  EXPECT_EQ(next.sealed(), 300);
  EXPECT_EQ(next.without_vector(), index_.without_vector());
  const std::vector<float> query = TestVector(6, 777);
  ExpectSame(next.Search(query, 50, nullptr), *index_.Search(query, 50, nullptr));
}

TEST_F(VectorIndexTest, RefusesSegmentsThatDoNotFit) {
  AddItems(index_, 7, 100);
  ASSERT_NO_FATAL_FAILURE(Seal(index_, 0, 40));
  ASSERT_NO_FATAL_FAILURE(Seal(index_, 40, 80));
  VectorIndex other(kTestEmbedder, kTestDimensions);
  for (uint32_t item = 0; item < 200; ++item) ASSERT_TRUE(other.Add({}).ok());
  VectorIndex another("other/48", kTestDimensions);
  AddItems(another, 7, 80);
  VectorIndex same(kTestEmbedder, kTestDimensions);
  AddItems(same, 7, 80);
  struct Row {
    VectorIndex& source;
    uint32_t first;
    uint32_t last;
    const char* why;
  };
  const std::vector<Row> table = {
      {another, 0, 80, "of embedder 'other/48'"}, {other, 0, 80, "lacks the vector of item 0"},
      {same, 0, 60, "a part of another segment"}, {other, 90, 95, "are not sealed"},
      {other, 80, 120, "has 100 items"},          {other, 80, 80, "covers no item"}};
  for (const Row& row : table) {
    ASSERT_TRUE(BuildSegment(row.source.Rows(row.first, row.last), Path("x"), {}).ok());
    const auto segment = VectorSegment::Open(Path("x"), row.source.embedder_id(), kTestDimensions);
    ASSERT_TRUE(segment.ok()) << segment.status();
    const absl::Status status = index_.Swap(*segment);
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.why));
    EXPECT_EQ(index_.segments().size(), 2);
  }
}

TEST_F(VectorIndexTest, ManyThreadsSearchAtTheSameTime) {
  AddItems(index_, 8, 25'000);
  ASSERT_NO_FATAL_FAILURE(Seal(index_, 0, 24'000, {.codes_from = 1000}));
  const std::vector<float> query = TestVector(8, 90'000);
  const auto expected = index_.Search(query, 20, nullptr);
  ASSERT_TRUE(expected.ok());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) ExpectSame(index_.Search(query, 20, nullptr), *expected);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(VectorIndexTest, RefusesVectorsOfAnotherDimensionAndCountsNothing) {
  EXPECT_EQ(index_.Add({1, 2, 3}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(index_.size(), 0);
  EXPECT_EQ(index_.Search({1, 2, 3}, 5, nullptr).status().code(), absl::StatusCode::kInvalidArgument);
  const auto hits = index_.Search(TestVector(1, 1), 5, nullptr);
  ASSERT_TRUE(hits.ok());
  EXPECT_TRUE(hits->empty());
}

}  // namespace
}  // namespace kernelsmith::memory
