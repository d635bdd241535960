// Worked example K5 of docs/memory.md, and the packing of whole items.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/values/budget.h"
#include "memory/values/packing.h"

namespace kernelsmith::memory {
namespace {

using ::testing::ElementsAre;

PackCandidate Of(std::vector<int64_t> tokens, bool failure = false) {
  return {.renderings = static_cast<int>(tokens.size()),
          .tokens = [tokens](int rendering) { return tokens[rendering]; },
          .failure = failure};
}

TEST(ContextBudget, IsWhatTheReservesLeaveK5) {
  EXPECT_EQ(ContextBudget({1'000'000, 20'000, 64'000, 16'000}), 900'000);
  EXPECT_EQ(ContextBudget({8000, 5000, 3000, 1000}), 0);
}

TEST(ContextBudget, HasDefaultReserves) {
  EXPECT_EQ(ContextBudget({8000, 1000, 0, 0}), 8000 - 1000 - 2000 - 1000);
  EXPECT_EQ(ContextBudget({1'000'000, 0, 0, 0}), 1'000'000 - 16'000 - 8'000);
}

TEST(QuotasFor, GrowWithTheRoomUpToTheirCaps) {
  const TierQuotas small = QuotasFor(10'000, 2'000);
  EXPECT_EQ(small.warm, 4000);
  EXPECT_EQ(small.warm_failures, 1200);
  EXPECT_EQ(small.cold, 2000);
  const TierQuotas large = QuotasFor(900'000, 0);
  EXPECT_EQ(large.warm, 60'000);
  EXPECT_EQ(large.cold, 30'000);
  EXPECT_EQ(QuotasFor(100, 100).warm, 0);
}

TEST(PackTier, TakesTheLongestRenderingThatFitsWhole) {
  EXPECT_THAT(PackTier({Of({900, 120}), Of({500, 100})}, 1000, 0), ElementsAre(0, 1));
}

TEST(PackTier, CountsAShorterRenderingOnlyWhenTheLongerDoesNotFit) {
  int counted = 0;
  const PackCandidate candidate{.renderings = 3, .tokens = [&counted](int rendering) {
                                  counted = std::max(counted, rendering + 1);
                                  return int64_t{100} * (3 - rendering);
                                }};
  EXPECT_THAT(PackTier({candidate}, 250, 0), ElementsAre(1));
  EXPECT_EQ(counted, 2);
}

TEST(PackTier, SkipsWhatDoesNotFitAndGoesOn) {
  EXPECT_THAT(PackTier({Of({300}), Of({900}), Of({200})}, 500, 0), ElementsAre(0, kLeftOut, 0));
}

TEST(PackTier, KeepsAShareForFailures) {
  const std::vector<PackCandidate> candidates = {Of({400}), Of({400}), Of({300}, true)};
  EXPECT_THAT(PackTier(candidates, 1000, 0), ElementsAre(0, 0, kLeftOut));
  EXPECT_THAT(PackTier(candidates, 1000, 300), ElementsAre(0, kLeftOut, 0));
}

TEST(PackTier, GivesUnusedRoomOfOneKindToTheOther) {
  EXPECT_THAT(PackTier({Of({400}, true), Of({400}, true)}, 1000, 300), ElementsAre(0, 0));
  EXPECT_THAT(PackTier({Of({500}), Of({500})}, 1000, 300), ElementsAre(0, 0));
}

TEST(EdgeOrder, PutsTheStrongestAtTheEdges) {
  EXPECT_THAT(EdgeOrder(0), ElementsAre());
  EXPECT_THAT(EdgeOrder(1), ElementsAre(0));
  EXPECT_THAT(EdgeOrder(2), ElementsAre(0, 1));
  EXPECT_THAT(EdgeOrder(5), ElementsAre(0, 2, 4, 3, 1));
  EXPECT_THAT(EdgeOrder(6), ElementsAre(0, 2, 4, 5, 3, 1));
}

TEST(SelectWithFailures, KeepsPlacesForFailuresOnlyIfThereAreAny) {
  EXPECT_THAT(SelectWithFailures({false, false, false, false}, 2), ElementsAre(0, 1));
  EXPECT_THAT(SelectWithFailures({false, false, false, false, true}, 4), ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(SelectWithFailures({true, true, true}, 8), ElementsAre(0, 1, 2));
  EXPECT_THAT(SelectWithFailures({true, true, false, true}, 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(SelectWithFailures({}, 8), ElementsAre());
}

}  // namespace
}  // namespace kernelsmith::memory
