#include "memory/values/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelsmith::memory {
namespace {

using ::testing::HasSubstr;

TEST(ResolvePolicy, DefaultsToCombinedWithThePublishedParameters) {
  const auto rules = ResolvePolicy({});
  ASSERT_TRUE(rules.ok()) << rules.status();
  EXPECT_EQ(rules->preset, "combined");
  EXPECT_EQ(rules->rank, RankRule::kCombined);
  EXPECT_EQ(rules->gamma, 0.3);
  EXPECT_EQ(rules->pool, 30);
  EXPECT_EQ(rules->top_k, 8);
}

TEST(ResolvePolicy, KnowsEveryPresetOfThisRelease) {
  struct {
    const char* preset;
    RankRule rank;
    CreditRule credit;
    bool tiers;
  } const cases[] = {
      {"pass_at_k", RankRule::kNone, CreditRule::kNone, false},
      {"static_rag", RankRule::kRelevance, CreditRule::kNone, false},
      {"value_memory", RankRule::kUtility, CreditRule::kUniformPerRound, false},
      {"sage_no_ugc", RankRule::kUtility, CreditRule::kAdopted, false},
      {"kope", RankRule::kLabel, CreditRule::kNone, true},
      {"combined", RankRule::kCombined, CreditRule::kAdopted, true},
  };
  for (const auto& c : cases) {
    v1::Policy policy;
    policy.set_preset(c.preset);
    const auto rules = ResolvePolicy(policy);
    ASSERT_TRUE(rules.ok()) << rules.status();
    EXPECT_EQ(rules->rank, c.rank) << c.preset;
    EXPECT_EQ(rules->credit, c.credit) << c.preset;
    EXPECT_EQ(rules->tiers, c.tiers) << c.preset;
  }
}

TEST(ResolvePolicy, KeepsAnExplicitZeroGamma) {
  v1::Policy policy;
  policy.set_gamma(0);
  EXPECT_EQ(ResolvePolicy(policy)->gamma, 0);
}

TEST(ResolvePolicy, NamesTheFieldThatIsWrong) {
  v1::Policy unknown;
  unknown.set_preset("evokernel");
  v1::Policy gamma;
  gamma.set_gamma(1.5);
  v1::Policy eta;
  eta.set_eta_min(-0.1);
  v1::Policy pool;
  pool.set_pool(-1);
  v1::Policy top_k;
  top_k.set_top_k(31);
  const std::pair<v1::Policy, const char*> cases[] = {{unknown, "policy.preset"},
                                                      {gamma, "policy.gamma"},
                                                      {eta, "policy.eta_min"},
                                                      {pool, "policy.pool"},
                                                      {top_k, "policy.top_k"}};
  for (const auto& [policy, field] : cases) {
    const auto rules = ResolvePolicy(policy);
    EXPECT_EQ(rules.status().code(), absl::StatusCode::kInvalidArgument) << field;
    EXPECT_THAT(std::string(rules.status().message()), HasSubstr(field));
  }
}

}  // namespace
}  // namespace kernelsmith::memory
