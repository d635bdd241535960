// The identities of section 5 of the specification, as far as they are pure: a policy with some parts changed equals
// another one, in its rules and in what the rules do.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "memory/context/assembly.h"
#include "memory/graph/stage_credit.h"
#include "memory/values/random.h"
#include "memory/values/rank.h"
#include "memory/values/selection.h"

namespace kernelsmith::memory {
namespace {

PolicyRules Resolved(const v1::Policy& policy) {
  const absl::StatusOr<PolicyRules> rules = ResolvePolicy(policy);
  EXPECT_TRUE(rules.ok()) << rules.status();
  return rules.ok() ? *rules : PolicyRules();
}

v1::Policy Preset(const char* name) {
  v1::Policy policy;
  policy.set_preset(name);
  return policy;
}

v1::CompleteStageRequest RandomStage(SeededRandom& random) {
  v1::CompleteStageRequest stage;
  stage.set_stage(random.Chance(0.5) ? v1::DRAFTING : v1::REFINING);
  stage.set_passed(random.Chance(0.6));
  stage.set_first_us(1000);
  stage.set_best_us(static_cast<double>(200 + random.Below(1000)));
  return stage;
}

std::vector<StageRound> RandomRounds(SeededRandom& random) {
  std::vector<StageRound> rounds(random.Below(6));
  for (StageRound& round : rounds) {
    const int first = static_cast<int>(random.Below(10));
    for (int item = first, last = first + static_cast<int>(random.Below(8)); item < last; ++item) {
      round.items.push_back(item);
      round.adopted.push_back(random.Chance(0.4));
    }
    round.correct = random.Chance(0.6);
    round.latency_us = static_cast<double>(random.Below(1200));
  }
  return rounds;
}

using Ticks = std::vector<std::tuple<int, double, bool>>;

Ticks TicksOf(const v1::CompleteStageRequest& stage, const std::vector<StageRound>& rounds, const PolicyRules& rules) {
  Ticks ticks;
  for (const CreditTick& tick : CreditOf(stage, rounds, rules).ticks) {
    ticks.emplace_back(tick.item, tick.xi, tick.resident);
  }
  return ticks;
}

TEST(Identities, SageWithUniformCreditPerRoundAndNoResidentsIsValueMemory) {
  v1::Policy changed = Preset("sage");
  changed.set_credit(v1::Policy::UNIFORM);
  changed.set_tick(v1::Policy::PER_ROUND);
  changed.set_residents(v1::Policy::NO_RESIDENTS);
  PolicyRules rules = Resolved(changed);
  const PolicyRules value_memory = Resolved(Preset("value_memory"));
  rules.preset = value_memory.preset;
  EXPECT_EQ(rules, value_memory);

  SeededRandom random(1);
  for (int i = 0; i < 500; ++i) {
    const v1::CompleteStageRequest stage = RandomStage(random);
    const std::vector<StageRound> rounds = RandomRounds(random);
    EXPECT_EQ(TicksOf(stage, rounds, rules), TicksOf(stage, rounds, value_memory));
  }
}

TEST(Identities, TheVariantsOfSageDifferInOnePartEach) {
  const PolicyRules sage = Resolved(Preset("sage"));
  PolicyRules no_ugc = Resolved(Preset("sage_no_ugc"));
  EXPECT_EQ(no_ugc.residents, v1::Policy::NO_RESIDENTS);
  no_ugc.residents = sage.residents;
  PolicyRules uniform = Resolved(Preset("sage_uniform"));
  EXPECT_EQ(uniform.credit, CreditRule::kUniform);
  uniform.credit = sage.credit;
  PolicyRules random_resident = Resolved(Preset("sage_random_resident"));
  EXPECT_EQ(random_resident.residents, v1::Policy::RANDOM);
  random_resident.residents = sage.residents;
  for (PolicyRules* rules : {&no_ugc, &uniform, &random_resident}) {
    rules->preset = sage.preset;
    EXPECT_EQ(*rules, sage);
  }
}

TEST(Identities, ValueMemoryWithoutGammaAndWritesIsStaticRag) {
  v1::Policy changed = Preset("value_memory");
  changed.set_gamma(0);
  changed.set_writes(v1::Policy::WRITE_NOTHING);
  PolicyRules rules = Resolved(changed);
  PolicyRules static_rag = Resolved(Preset("static_rag"));

  SeededRandom random(2);
  for (int i = 0; i < 500; ++i) {
    const double s = static_cast<double>(random.Below(1000)) / 100;
    const double u = static_cast<double>(random.Below(1200)) / 1000 - 0.2;
    EXPECT_EQ(UtilityRank(s, u, rules.gamma), s) << "the rank is the relevance";
    const v1::CompleteStageRequest stage = RandomStage(random);
    const std::vector<StageRound> rounds = RandomRounds(random);
    EXPECT_TRUE(TicksOf(stage, rounds, rules).empty());
    EXPECT_TRUE(TicksOf(stage, rounds, static_rag).empty());
  }
  // Of the rules only what cannot act any more differs: the name of the rank, gamma and the tick of no credit.
  rules.preset = static_rag.preset;
  rules.rank = static_rag.rank;
  rules.gamma = static_rag.gamma;
  rules.tick_per_round = static_rag.tick_per_round;
  EXPECT_EQ(rules, static_rag);
}

class ByteCounter : public TokenCounter {
 public:
  TokenCount Measure(absl::string_view text) const override { return {.tokens = static_cast<int64_t>(text.size())}; }
  const std::string& name() const override {
    static const std::string name = "bytes";
    return name;
  }
};

std::set<std::string> IncludedItems(const std::vector<int>& order, const PolicyRules& rules) {
  v1::AssembleContextRequest request;
  request.mutable_budget()->set_window(100'000);
  std::vector<OfferedItem> offers;
  for (const int item : order) {
    OfferedItem& offer = offers.emplace_back();
    offer.ranked.mutable_item()->set_id("case-" + std::to_string(item));
    offer.ranked.mutable_item()->set_kind(v1::CASE);
    offer.ranked.mutable_item()->set_attempt_id(std::to_string(item));
    offer.renderings = {std::string(100, 'x')};
  }
  const auto response = AssembleBlocks(request, rules, offers, ByteCounter());
  EXPECT_TRUE(response.ok()) << response.status();
  std::set<std::string> included;
  for (const v1::RankedItem& item : response->items()) included.insert(item.item().id());
  return included;
}

// Both see the same attempts of the one operator; they differ in the order alone, whatever Q and chance say.
TEST(Identities, EvokernelOnTheMemoryOfOneOperatorHasTheInformationOfRefinement) {
  const PolicyRules evokernel = Resolved(Preset("evokernel"));
  const PolicyRules refinement = Resolved(Preset("refinement"));
  SeededRandom random(3);
  for (int attempts = 0; attempts <= evokernel.top_k; ++attempts) {
    std::vector<double> q;
    std::vector<int> newest_first;
    for (int i = 0; i < attempts; ++i) {
      q.push_back(static_cast<double>(random.Below(100)) / 50 - 1);
      newest_first.push_back(attempts - 1 - i);
    }
    ASSERT_GE(PoolSize(evokernel, 0), attempts);
    std::vector<int> by_q;
    for (const Pick& pick : EpsilonGreedy(q, evokernel.top_k, 0.5, random.Next())) by_q.push_back(pick.index);
    EXPECT_EQ(IncludedItems(by_q, evokernel), IncludedItems(newest_first, refinement)) << attempts;
  }
}

// A resident that was used joins A; one that was not used gets nothing, and its switch turns both off.
TEST(CreditOf, LetsResidentsTakeCreditOnlyWhenTheyWereUsed) {
  v1::CompleteStageRequest stage;
  stage.set_stage(v1::REFINING);
  stage.set_passed(true);
  stage.set_first_us(1000);
  stage.set_best_us(600);
  // Items 1 and 2 retrieved, 1 adopted; residents 7 used and 8 not.
  const std::vector<StageRound> rounds = {{.items = {1, 2, 7, 8},
                                           .adopted = {true, false, true, false},
                                           .resident = {false, false, true, true},
                                           .correct = true,
                                           .latency_us = 600}};
  PolicyRules rules = Resolved(Preset("sage"));
  StageCredit credit = CreditOf(stage, rounds, rules);
  ASSERT_EQ(credit.ticks.size(), 3u);
  EXPECT_NEAR(credit.ticks[0].xi, 0.2, 1e-12);
  EXPECT_NEAR(credit.ticks[1].xi, -0.2, 1e-12);
  EXPECT_NEAR(credit.ticks[2].xi, 0.2, 1e-12);
  EXPECT_TRUE(credit.ticks[2].resident);
  EXPECT_EQ(credit.adopted_items, (std::vector<int>{1, 7}));
  ASSERT_EQ(credit.residents.size(), 2u);
  EXPECT_TRUE(credit.residents[0].used);
  EXPECT_FALSE(credit.residents[1].used);

  rules.residents_take_credit = false;
  credit = CreditOf(stage, rounds, rules);
  ASSERT_EQ(credit.ticks.size(), 2u);
  EXPECT_NEAR(credit.ticks[0].xi, 0.4, 1e-12) << "the resident takes no share";
  EXPECT_EQ(credit.adopted_items, std::vector<int>{1});
  EXPECT_EQ(credit.residents.size(), 2u) << "its usage moves all the same";
}

TEST(CreditOf, TicksEachItemOnceUnderUniformCreditPerStageS10) {
  v1::CompleteStageRequest stage;
  stage.set_stage(v1::DRAFTING);
  stage.set_passed(true);
  std::vector<StageRound> rounds(5, {.items = {0}, .adopted = {false}});
  rounds[4].correct = true;
  const StageCredit credit = CreditOf(stage, rounds, Resolved(Preset("sage_uniform")));
  ASSERT_EQ(credit.ticks.size(), 1u);
  EXPECT_EQ(credit.ticks[0].xi, 1);
}

}  // namespace
}  // namespace kernelsmith::memory
