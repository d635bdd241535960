// Dot products, code sums, quantisation and the choice of the best.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "memory/retrieval/vector/code_sums.h"
#include "memory/retrieval/vector/dot_product.h"
#include "memory/retrieval/vector/node_hash.h"
#include "memory/retrieval/vector/quantised_vector.h"
#include "memory/retrieval/vector/top_hits.h"

namespace kernelsmith::memory {
namespace {

AlignedBytes RandomBytes(size_t size, uint64_t seed, int low, int high) {
  AlignedBytes bytes(size);
  for (size_t i = 0; i < size; ++i) {
    bytes.data()[i] =
        static_cast<int8_t>(low + static_cast<int>(NodeHash(i, seed) % static_cast<uint64_t>(high - low + 1)));
  }
  return bytes;
}

TEST(DotProductTest, EveryPathGivesTheSumOfProducts) {
  for (const DotProductPath& path : DotProductPaths()) {
    for (const size_t stride : {64, 128, 384, 1024, 8192}) {
      const AlignedBytes a = RandomBytes(stride, 1, -127, 127);
      const AlignedBytes b = RandomBytes(stride, 2, -127, 127);
      int64_t expected = 0;
      for (size_t i = 0; i < stride; ++i) expected += int64_t{a.data()[i]} * b.data()[i];
      EXPECT_EQ(path.function(a.data(), b.data(), stride), expected) << path.name << " " << stride;
    }
  }
}

TEST(DotProductTest, NoPathOverflowsAtTheGreatestNumbers) {
  for (const DotProductPath& path : DotProductPaths()) {
    for (const int sign : {127, -127}) {
      const AlignedBytes a = RandomBytes(kMaxDimensions, 0, 127, 127);
      const AlignedBytes b = RandomBytes(kMaxDimensions, 0, sign, sign);
      EXPECT_EQ(path.function(a.data(), b.data(), kMaxDimensions), 127 * sign * kMaxDimensions) << path.name;
    }
  }
}

TEST(CodeSumsTest, EveryPathGivesTheSumOfContributions) {
  for (const CodeSumsPath& path : CodeSumsPaths()) {
    for (const size_t groups : {2, 64, 128}) {
      const AlignedBytes block = RandomBytes(kBlockRows * groups / 2, 3, -128, 127);
      AlignedBytes table = RandomBytes(kBlockRows * groups, 4, 0, kGreatestContribution);
      for (size_t i = 0; i < table.size(); ++i)
        table.data()[i] = table.data()[i / kBlockRows * kBlockRows + i % kPrototypes];
      alignas(64) uint16_t sums[kBlockRows];
      const int threshold = static_cast<int>(groups) * kGreatestContribution / 2;
      const uint64_t greater = path.function(reinterpret_cast<const uint8_t*>(block.data()),
                                             reinterpret_cast<const uint8_t*>(table.data()), groups, threshold, sums);
      for (size_t r = 0; r < kBlockRows; ++r) {
        int expected = 0;
        for (size_t g = 0; g < groups; ++g) {
          const auto pair = static_cast<uint8_t>(block.data()[g / 2 * kBlockRows + r]);
          expected += table.data()[g * kBlockRows + (g % 2 == 0 ? pair & 15 : pair >> 4)];
        }
        EXPECT_EQ(sums[r], expected) << path.name << " groups " << groups << " row " << r;
        EXPECT_EQ(greater >> r & 1, expected > threshold ? 1 : 0) << path.name << " row " << r;
      }
    }
  }
}

TEST(QuantisedVectorTest, KeepsDirectionToTheStepAndPadsWithZeros) {
  const std::vector<float> vector = {0.5F, -1.0F, 0.25F};
  const auto quantised = QuantisedVector::From(vector, 3);
  ASSERT_TRUE(quantised.ok()) << quantised.status();
  EXPECT_EQ(quantised->stride(), 64);
  EXPECT_EQ(quantised->row()[0], 64);  // 63.5, half away from zero
  EXPECT_EQ(quantised->row()[1], -127);
  EXPECT_EQ(quantised->row()[2], 32);
  EXPECT_EQ(quantised->row()[3], 0);
  EXPECT_NEAR(quantised->inverse_length(), 1 / std::sqrt(64.0 * 64 + 127 * 127 + 32 * 32), 1e-9);
}

TEST(QuantisedVectorTest, ScaleDoesNotMatter) {
  const auto small = QuantisedVector::From({1e-30F, 2e-30F}, 2);
  const auto large = QuantisedVector::From({1e30F, 2e30F}, 2);
  ASSERT_TRUE(small.ok() && large.ok());
  EXPECT_EQ(small->row()[0], large->row()[0]);
  EXPECT_EQ(small->row()[1], large->row()[1]);
}

TEST(QuantisedVectorTest, RefusesWhatHasNoDirection) {
  const std::vector<std::vector<float>> refused = {{},
                                                   {1, 2},
                                                   {0, 0, 0},
                                                   {1, std::numeric_limits<float>::quiet_NaN(), 0},
                                                   {std::numeric_limits<float>::infinity(), 0, 0}};
  for (const auto& vector : refused) {
    EXPECT_EQ(QuantisedVector::From(vector, 3).status().code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST(TopHitsTest, KeepsTheBestAndOfEqualsTheLater) {
  TopHits hits(3);
  for (const ScoredItem& hit : std::vector<ScoredItem>{{0.5F, 1}, {0.9F, 2}, {0.5F, 7}, {0.1F, 4}, {0.5F, 5}}) {
    hits.Offer(hit.score, hit.item);
  }
  std::vector<uint32_t> items;
  for (const ScoredItem& hit : hits.Take()) items.push_back(hit.item);
  EXPECT_THAT(items, testing::ElementsAre(2, 7, 5));
}

TEST(TopHitsTest, NothingGetsIntoNoPlaces) {
  TopHits hits(0);
  EXPECT_FALSE(hits.Offer(1, 1));
  EXPECT_TRUE(hits.Take().empty());
}

}  // namespace
}  // namespace kernelsmith::memory
