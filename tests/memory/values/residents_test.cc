// Worked examples S7, S8 and S9 of the specification.
#include "memory/values/residents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace kernelsmith::memory {
namespace {

using ::testing::ElementsAre;

const PolicyRules& SageRules() {
  static const auto* const rules = [] {
    v1::Policy policy;
    policy.set_preset("sage");
    return new PolicyRules(*ResolvePolicy(policy));
  }();
  return *rules;
}

int64_t TokensOf(const std::vector<ResidentCandidate>& candidates, const std::vector<int>& set) {
  int64_t tokens = 0;
  for (const int index : set) tokens += candidates[index].tokens;
  return tokens;
}

TEST(PassesGate, NeedsUtilityAdoptionsAndOperatorsS8) {
  EXPECT_TRUE(PassesGate({0.425, 3, 3}, SageRules()));
  EXPECT_FALSE(PassesGate({0.425, 3, 1}, SageRules())) << "three adoptions on one operator do not";
  EXPECT_FALSE(PassesGate({0.425, 2, 3}, SageRules()));
  EXPECT_FALSE(PassesGate({0, 3, 3}, SageRules()));
  PolicyRules wide = SageRules();
  wide.gate_adoptions = 1;
  wide.gate_operators = 1;
  EXPECT_TRUE(PassesGate({0.001, 1, 1}, wide));
}

TEST(ResidentUtility, IsUtilityTimesUsagePerTokenS9) {
  EXPECT_NEAR(ResidentUtility(0.425, ColdUsage(3, 5), 400), 6.375e-4, 1e-12);
}

TEST(UpdatedUsage, DecaysWhileARuleIsNotUsedS9) {
  double p = ColdUsage(3, 5);
  for (int i = 0; i < 7; ++i) p = UpdatedUsage(p, false, 0.1);
  EXPECT_NEAR(p / 0.6, 0.4783, 1e-4);
  EXPECT_NEAR(ResidentUtility(0.425, p, 400), 3.049e-4, 1e-7);
  EXPECT_NEAR(UpdatedUsage(0.5, true, 0.1), 0.55, 1e-12);
}

TEST(ColdUsage, IsAShareAndZeroBeforeTheFirstChance) {
  EXPECT_EQ(ColdUsage(0, 0), 0);
  EXPECT_EQ(ColdUsage(3, 5), 0.6);
  EXPECT_EQ(ColdUsage(5, 3), 1);
}

TEST(RebuildResidents, FillsTheBudgetByUtilityPerTokenAndSkipsWhatDoesNotFitS7) {
  std::vector<ResidentCandidate> candidates;
  const std::tuple<double, double, int64_t> rules[] = {
      {0.6, 0.5, 3000}, {0.5, 0.4, 1000}, {0.9, 0.2, 6000}, {0.3, 0.9, 500}, {0.2, 0.5, 4000}};
  for (const auto& [u, p, tokens] : rules) candidates.push_back({ResidentUtility(u, p, tokens), tokens});
  const std::vector<int> set = RebuildResidents(candidates, 10'000);
  EXPECT_THAT(set, ElementsAre(3, 1, 0, 4)) << "r4, r2, r1, skip r3, r5";
  EXPECT_EQ(TokensOf(candidates, set), 8500);
}

TEST(RebuildResidents, NeverTakesWhatHasNoUtility) {
  EXPECT_THAT(RebuildResidents({{-1e-5, 10}, {0, 10}, {std::nan(""), 10}, {1e-9, 10}}, 1000), ElementsAre(3));
}

TEST(RebuildResidents, PrefersTheEarlierOfEqualOnesAndTakesNothingIntoNothing) {
  EXPECT_THAT(RebuildResidents({{1e-3, 60}, {1e-3, 60}}, 100), ElementsAre(0));
  EXPECT_THAT(RebuildResidents({{1e-3, 60}}, 0), ElementsAre());
  EXPECT_THAT(RebuildResidents({}, 100), ElementsAre());
}

TEST(DrawResidents, FillsTheSameBudgetInAnOrderOfTheSeed) {
  std::vector<ResidentCandidate> candidates;
  for (int i = 0; i < 40; ++i) candidates.push_back({1e-3 / (i + 1), 300 + 10 * i});
  const std::vector<int> set = DrawResidents(candidates, 5000, 11);
  EXPECT_EQ(set, DrawResidents(candidates, 5000, 11));
  EXPECT_NE(set, DrawResidents(candidates, 5000, 12));
  EXPECT_LE(TokensOf(candidates, set), 5000);
  EXPECT_EQ(std::set<int>(set.begin(), set.end()).size(), set.size());
  for (int i = 0; i < 40; ++i) {
    if (std::find(set.begin(), set.end(), i) != set.end()) continue;
    EXPECT_GT(TokensOf(candidates, set) + candidates[i].tokens, 5000) << "item " << i << " would still have fitted";
  }
}

TEST(DrawResidents, GivesEveryItemItsChance) {
  const std::vector<ResidentCandidate> candidates(5, {1e-3, 100});
  int chosen[5] = {};
  for (uint64_t seed = 0; seed < 5000; ++seed) ++chosen[DrawResidents(candidates, 100, seed).front()];
  for (const int count : chosen) EXPECT_NEAR(count, 1000, 150);
}

}  // namespace
}  // namespace kernelsmith::memory
