// What holds for every prompt, whatever budget, policy and offers: the window is never passed, the required blocks
// stand whole, items stand whole in one of their forms, and every item has exactly one decision that agrees with the
// blocks.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/policies/presets.h"
#include "memory/context/assembly.h"
#include "memory/values/budget.h"
#include "memory/values/random.h"

namespace kernelsmith::memory {
namespace {

struct Scenario {
  v1::AssembleContextRequest request;
  PolicyRules rules;
  std::vector<OfferedItem> offers;
};

std::string Words(SeededRandom& random, uint64_t most) {
  static const char* const words[] = {"DataCopyPad", " tile", " 32", "\n", " kernel", "  ", "向量", ";", " softmax"};
  std::string text;
  for (uint64_t i = random.Below(most + 1); i > 0; --i) text += words[random.Below(std::size(words))];
  return text;
}

OfferedItem RandomOffer(SeededRandom& random, int number) {
  OfferedItem offer;
  v1::Item& item = *offer.ranked.mutable_item();
  item.set_id("item-" + std::to_string(random.Chance(0.1) ? number / 2 : number));  // some are offered twice
  item.set_title("title " + std::to_string(number));
  item.set_kind(static_cast<v1::ItemKind>(1 + random.Below(9)));
  item.set_producer("p");
  item.set_attempt_id("attempt-" + std::to_string(number / 2));
  offer.ranked.set_rank(number + 1);
  offer.role = static_cast<OfferRole>(random.Below(4));
  offer.failure = random.Chance(0.3);
  offer.cold = random.Chance(0.3);
  uint64_t length = 400;
  for (uint64_t i = random.Below(5); i > 0; --i) {
    offer.renderings.push_back(Words(random, length));
    length /= 2;
  }
  return offer;
}

Scenario RandomScenario(uint64_t seed) {
  SeededRandom random(seed);
  Scenario scenario;
  v1::Policy policy;
  const std::vector<std::string>& presets = common::PolicyPresetNames();
  policy.set_preset(presets[random.Below(presets.size())]);
  if (random.Chance(0.5)) policy.set_top_k(1 + static_cast<int>(random.Below(10)));
  scenario.rules = *ResolvePolicy(policy);
  scenario.request.mutable_budget()->set_window(static_cast<int64_t>(random.Below(20'000)));
  scenario.request.mutable_budget()->set_system(static_cast<int64_t>(random.Below(2'000)));
  if (random.Chance(0.5))
    scenario.request.mutable_budget()->set_generation(1 + static_cast<int64_t>(random.Below(3'000)));
  if (random.Chance(0.5)) scenario.request.mutable_budget()->set_recency(1 + static_cast<int64_t>(random.Below(2'000)));
  for (uint64_t i = random.Below(5); i > 0; --i) {
    v1::RequiredBlock& block = *scenario.request.add_required();
    block.set_name("required " + std::to_string(i));
    block.set_text(Words(random, 300));
    block.set_stable(random.Chance(0.5));
  }
  for (int i = 0, count = static_cast<int>(random.Below(60)); i < count; ++i) {
    scenario.offers.push_back(RandomOffer(random, i));
  }
  return scenario;
}

// All of what must hold for a context that was assembled.
void Check(const Scenario& scenario, const v1::AssembleContextResponse& response, const TokenCounter& counter) {
  std::map<std::string, std::set<std::string>> forms;
  for (const OfferedItem& offer : scenario.offers) {
    forms[offer.ranked.item().id()].insert(offer.renderings.begin(), offer.renderings.end());
  }
  int64_t used = 0;
  int64_t warm = 0;
  int64_t cold = 0;
  std::map<std::string, int> position_of_item;
  std::multiset<std::string> required;
  bool volatile_began = false;
  for (int i = 0; i < response.blocks_size(); ++i) {
    const v1::ContextBlock& block = response.blocks(i);
    EXPECT_EQ(block.tokens(), counter.Count(block.text()));
    used += block.tokens();
    if (block.item_id().empty()) {
      required.insert(block.name() + "\n" + block.text());
      if (i > 0 && !response.blocks(i - 1).item_id().empty()) volatile_began = true;
    } else {
      EXPECT_FALSE(volatile_began) << "an item behind the volatile blocks";
      EXPECT_TRUE(forms[block.item_id()].contains(block.text())) << "not a whole form";
      EXPECT_TRUE(position_of_item.emplace(block.item_id(), i).second) << "twice in the prompt";
      (block.tier() == v1::COLD ? cold : warm) += block.tokens();
    }
  }
  std::multiset<std::string> wanted;
  for (const v1::RequiredBlock& block : scenario.request.required()) wanted.insert(block.name() + "\n" + block.text());
  EXPECT_EQ(required, wanted);
  EXPECT_EQ(used, response.used_tokens());
  EXPECT_LE(used, response.budget_tokens());
  const TierQuotas quotas = QuotasFor(response.budget_tokens(), response.required_tokens());
  EXPECT_LE(warm, quotas.warm);
  EXPECT_LE(cold, quotas.cold);

  std::set<std::string> decided;
  int included = 0;
  for (const v1::ItemDecision& decision : response.decisions()) {
    EXPECT_TRUE(decided.insert(decision.item_id()).second) << "two decisions";
    EXPECT_FALSE(decision.reason().empty());
    EXPECT_NE(decision.selection(), v1::ItemDecision::SELECTION_UNSPECIFIED);
    const auto position = position_of_item.find(decision.item_id());
    EXPECT_EQ(decision.included(), position != position_of_item.end());
    EXPECT_EQ(decision.position(), decision.included() ? position->second : -1);
    EXPECT_EQ(decision.reason().starts_with(decision.included() ? "in: " : "out: "), true) << decision.reason();
    if (!decision.included()) continue;
    EXPECT_EQ(response.items(included).item().id(), decision.item_id());
    ++included;
  }
  EXPECT_EQ(included, response.items_size());
  EXPECT_EQ(decided.size(), forms.size()) << "an item without a decision";
}

TEST(AssembleBlocksProperty, HoldsForRandomBudgetsPoliciesAndOffers) {
  const ConservativeTokenCounter counter;
  int assembled = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const Scenario scenario = RandomScenario(seed);
    const auto response = AssembleBlocks(scenario.request, scenario.rules, scenario.offers, counter);
    if (!response.ok()) {
      EXPECT_EQ(response.status().code(), absl::StatusCode::kFailedPrecondition);
      continue;
    }
    ++assembled;
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", preset " << scenario.rules.preset);
    Check(scenario, *response, counter);
    if (testing::Test::HasFailure()) return;
    const auto again = AssembleBlocks(scenario.request, scenario.rules, scenario.offers, counter);
    EXPECT_EQ(again->SerializeAsString(), response->SerializeAsString()) << "not deterministic";
  }
  EXPECT_GT(assembled, 400);
}

TEST(AssembleBlocksProperty, RefusesExactlyWhenTheRequiredBlocksExceedTheBudget) {
  const ConservativeTokenCounter counter;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const Scenario scenario = RandomScenario(seed);
    int64_t required = 0;
    for (const v1::RequiredBlock& block : scenario.request.required()) required += counter.Count(block.text());
    const v1::TokenBudget& budget = scenario.request.budget();
    const int64_t room = ContextBudget({budget.window(), budget.system(), budget.generation(), budget.recency()});
    EXPECT_EQ(AssembleBlocks(scenario.request, scenario.rules, scenario.offers, counter).ok(), required <= room)
        << seed;
  }
}

}  // namespace
}  // namespace kernelsmith::memory
