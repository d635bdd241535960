#include "memory/retrieval/lexical/impact_bound.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace kernelsmith::memory {
namespace {

TEST(ImpactBound, KeepsASinglePostingAsItIs) {
  ImpactBound bound;
  bound.Include(3, 120);
  EXPECT_EQ(bound.count, 3);
  EXPECT_EQ(bound.length, 120);
}

TEST(ImpactBound, ScalesTheLengthToTheGreatestCount) {
  ImpactBound bound;
  bound.Include(1, 60);
  bound.Include(3, 200);  // 200/3 is more than 60/1
  EXPECT_EQ(bound.count, 3);
  EXPECT_EQ(bound.length, 180);
}

TEST(ImpactBound, OfNothingIsZero) {
  const LengthNorms norms(10, 1000);
  EXPECT_EQ(ImpactBound().Part(TermWeight(2.0), norms), 0);
}

TEST(ImpactBound, IsNeverBelowAPartWhateverIdfAndAverageWillBe) {
  std::mt19937 random(5);
  const auto below = [&](uint32_t limit) { return std::uniform_int_distribution<uint32_t>(0, limit - 1)(random); };
  for (int round = 0; round < 2000; ++round) {
    ImpactBound bound;
    ImpactBound halves[2];
    std::vector<std::pair<uint32_t, uint32_t>> postings;
    for (uint32_t i = 1 + below(20); i > 0; --i) {
      const uint32_t count = round % 50 == 0 ? 1 + below(200000) : 1 + below(6);
      const uint32_t length = count + below(round % 3 == 0 ? 200000 : 300);
      postings.emplace_back(count, length);
      bound.Include(count, length);
      halves[i % 2].Include(count, length);
    }
    halves[0].Include(halves[1]);
    for (const int64_t average : {1, 7, 120, 5000}) {
      const LengthNorms norms(1000, 1000 * average);
      const TermWeight weight(0.01 + below(1000) / 100.0);
      for (const auto& [count, length] : postings) {
        EXPECT_GE(bound.Part(weight, norms), weight.Part(count, norms.Of(length)));
        EXPECT_GE(halves[0].Part(weight, norms), weight.Part(count, norms.Of(length)));
      }
    }
  }
}

}  // namespace
}  // namespace kernelsmith::memory
