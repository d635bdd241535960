#include "memory/context/assembly.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "tests/memory/requests.h"

namespace kernelsmith::memory {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// One token per byte, so that tests can count.
class ByteCounter : public TokenCounter {
 public:
  TokenCount Measure(absl::string_view text) const override { return {.tokens = static_cast<int64_t>(text.size())}; }
  const std::string& name() const override {
    static const std::string name = "bytes";
    return name;
  }
};

OfferedItem Offer(const std::string& id, std::vector<int> sizes, bool failure = false, bool cold = false) {
  OfferedItem offer;
  offer.ranked.mutable_item()->set_id(id);
  offer.ranked.mutable_item()->set_title("title of " + id);
  offer.ranked.set_reason("matches");
  for (const int size : sizes) offer.renderings.push_back(std::string(size, id[0]));
  offer.failure = failure;
  offer.cold = cold;
  return offer;
}

// B = 1000, required 200: Q_w = 400, Q_c = 200.
v1::AssembleContextRequest Request() {
  v1::AssembleContextRequest request;
  request.mutable_budget()->set_window(1300);
  request.mutable_budget()->set_system(100);
  request.mutable_budget()->set_generation(150);
  request.mutable_budget()->set_recency(50);
  v1::RequiredBlock& state = *request.add_required();
  state.set_name("state");
  state.set_text(std::string(150, 's'));
  v1::RequiredBlock& specification = *request.add_required();
  specification.set_name("spec");
  specification.set_text(std::string(50, 'p'));
  specification.set_stable(true);
  return request;
}

PolicyRules Rules(const std::string& preset) {
  v1::Policy policy;
  policy.set_preset(preset);
  return *ResolvePolicy(policy);
}

std::vector<std::string> Order(const v1::AssembleContextResponse& response) {
  std::vector<std::string> order;
  for (const v1::ContextBlock& block : response.blocks()) {
    order.push_back(block.item_id().empty() ? block.name() : block.item_id());
  }
  return order;
}

TEST(AssembleBlocks, PutsTheStableFirstAndTheVolatileLast) {
  const auto response = AssembleBlocks(
      Request(), Rules("combined"),
      {Offer("a", {100}), Offer("b", {100}), Offer("c", {100}), Offer("z", {100}, false, true)}, ByteCounter());
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_THAT(Order(*response), ElementsAre("spec", "z", "a", "c", "b", "state"));
  EXPECT_EQ(response->budget_tokens(), 1000);
  EXPECT_EQ(response->required_tokens(), 200);
  EXPECT_EQ(response->used_tokens(), 600);
  EXPECT_EQ(response->decisions(1).position(), 4);
  EXPECT_EQ(response->blocks(1).tier(), v1::COLD);
  EXPECT_EQ(response->items_size(), 4);
}

TEST(AssembleBlocks, NamesTheOverflowOfTheRequiredTier) {
  v1::AssembleContextRequest request = Request();
  request.mutable_required(0)->set_text(std::string(951, 's'));
  const auto response = AssembleBlocks(request, Rules("combined"), {}, ByteCounter());
  EXPECT_EQ(response.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(response.status().message()), HasSubstr("1001 tokens, 1 more than the budget of 1000"));
  request.mutable_required(0)->set_text(std::string(950, 's'));
  EXPECT_TRUE(AssembleBlocks(request, Rules("combined"), {}, ByteCounter()).ok());
}

TEST(AssembleBlocks, ShortensBeforeItLeavesOutAndSaysWhy) {
  const auto response = AssembleBlocks(Request(), Rules("combined"),
                                       {Offer("a", {300, 50}), Offer("b", {300, 80}), Offer("c", {90})}, ByteCounter());
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_THAT(Order(*response), ElementsAre("spec", "a", "b", "state"));
  EXPECT_THAT(response->decisions(0).reason(), HasSubstr("form 1 of 2"));
  EXPECT_THAT(response->decisions(1).reason(), HasSubstr("form 2 of 2"));
  EXPECT_FALSE(response->decisions(2).included());
  EXPECT_EQ(response->decisions(2).position(), -1);
  EXPECT_THAT(response->decisions(2).reason(), HasSubstr("shortest form of 90 tokens does not fit"));
}

TEST(AssembleBlocks, KeepsPlacesAndTokensForFailures) {
  PolicyRules rules = Rules("combined");
  rules.top_k = 4;
  const std::vector<OfferedItem> offers = {Offer("a", {100}), Offer("b", {100}), Offer("c", {100}), Offer("d", {100}),
                                           Offer("f", {100}, true)};
  const auto tiers = AssembleBlocks(Request(), rules, offers, ByteCounter());
  EXPECT_TRUE(tiers->decisions(4).included());
  EXPECT_FALSE(tiers->decisions(3).included());
  EXPECT_THAT(tiers->decisions(3).reason(), HasSubstr("beyond the 4 items"));

  PolicyRules flat = Rules("static_rag");
  flat.top_k = 4;
  const auto list = AssembleBlocks(Request(), flat, offers, ByteCounter());
  EXPECT_TRUE(list->decisions(3).included());
  EXPECT_FALSE(list->decisions(4).included());
}

TEST(AssembleBlocks, LetsACaseStandForItsJournal) {
  std::vector<OfferedItem> offers = {Offer("journal-1", {50}), Offer("case-1", {50}), Offer("journal-2", {50})};
  const std::pair<v1::ItemKind, const char*> twins[] = {{v1::JOURNAL, "1"}, {v1::CASE, "1"}, {v1::JOURNAL, "2"}};
  for (size_t i = 0; i < offers.size(); ++i) {
    offers[i].ranked.mutable_item()->set_kind(twins[i].first);
    offers[i].ranked.mutable_item()->set_attempt_id(twins[i].second);
  }
  const auto response = AssembleBlocks(Request(), Rules("combined"), offers, ByteCounter());
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_THAT(Order(*response), ElementsAre("spec", "case-1", "journal-2", "state"));
  EXPECT_THAT(response->decisions(0).reason(), HasSubstr("the case of the same attempt"));
}

TEST(AssembleBlocks, KnowsNoColdTierUnderAFlatPolicy) {
  const auto response = AssembleBlocks(Request(), Rules("static_rag"), {Offer("a", {250}, false, true)}, ByteCounter());
  EXPECT_TRUE(response->decisions(0).included());
  EXPECT_EQ(response->decisions(0).tier(), v1::WARM);
  const auto tiers = AssembleBlocks(Request(), Rules("combined"), {Offer("a", {250}, false, true)}, ByteCounter());
  EXPECT_FALSE(tiers->decisions(0).included()) << "250 tokens exceed the cold quota of 200";
}

OfferedItem Role(OfferRole role, const std::string& id, std::vector<int> sizes, bool failure = false) {
  OfferedItem offer = Offer(id, std::move(sizes), failure);
  offer.role = role;
  return offer;
}

const v1::ItemDecision& DecisionOf(const v1::AssembleContextResponse& response, const std::string& id) {
  for (const v1::ItemDecision& decision : response.decisions()) {
    if (decision.item_id() == id) return decision;
  }
  ADD_FAILURE() << "no decision for " << id;
  return v1::ItemDecision::default_instance();
}

TEST(AssembleBlocks, AdmitsResidentsFirstAndPutsThemIntoTheStablePrefix) {
  const auto response = AssembleBlocks(Request(), Rules("sage"),
                                       {Offer("a", {250, 90}), Offer("b", {100}),
                                        Role(OfferRole::kResident, "r", {150}), Role(OfferRole::kResident, "s", {100})},
                                       ByteCounter());
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_THAT(Order(*response), ElementsAre("spec", "r", "s", "a", "state"));
  EXPECT_EQ(DecisionOf(*response, "r").selection(), v1::ItemDecision::RESIDENT);
  EXPECT_EQ(DecisionOf(*response, "r").tier(), v1::WARM);
  EXPECT_THAT(DecisionOf(*response, "r").reason(), HasSubstr("in: resident; "));
  EXPECT_EQ(DecisionOf(*response, "a").selection(), v1::ItemDecision::RANKED);
  EXPECT_EQ(DecisionOf(*response, "a").tokens(), 90) << "150 of 400 were left";
}

TEST(AssembleBlocks, ListsResidentsThatTheWarmTierCannotHold) {
  const auto response = AssembleBlocks(Request(), Rules("sage"),
                                       {Role(OfferRole::kResident, "r", {300}), Role(OfferRole::kResident, "s", {200}),
                                        Role(OfferRole::kResident, "t", {100}), Offer("a", {10})},
                                       ByteCounter());
  EXPECT_THAT(Order(*response), ElementsAre("spec", "r", "t", "state")) << "Q_w is 400";
  EXPECT_FALSE(DecisionOf(*response, "s").included());
  EXPECT_THAT(DecisionOf(*response, "s").reason(), HasSubstr("200 tokens does not fit"));
  EXPECT_FALSE(DecisionOf(*response, "a").included());
}

TEST(AssembleBlocks, TakesNoPlaceOfThePolicyForResidents) {
  PolicyRules rules = Rules("sage");
  rules.top_k = 1;
  const auto response = AssembleBlocks(Request(), rules,
                                       {Role(OfferRole::kResident, "r", {10}), Role(OfferRole::kResident, "s", {10}),
                                        Offer("a", {10}), Offer("b", {10})},
                                       ByteCounter());
  EXPECT_THAT(Order(*response), ElementsAre("spec", "r", "s", "a", "state"));
  EXPECT_THAT(DecisionOf(*response, "b").reason(), HasSubstr("rank 2 is beyond the 1 items"));
}

TEST(AssembleBlocks, CountsAnItemThatIsOfferedTwiceOnceInItsStrongestRole) {
  const auto response = AssembleBlocks(Request(), Rules("evokernel"),
                                       {Offer("a", {10}), Role(OfferRole::kResident, "a", {20}),
                                        Role(OfferRole::kApi, "b", {30}), Offer("b", {40}), Offer("a", {50})},
                                       ByteCounter());
  ASSERT_EQ(response->decisions_size(), 2);
  EXPECT_EQ(DecisionOf(*response, "a").tokens(), 20);
  EXPECT_EQ(DecisionOf(*response, "b").tokens(), 30);
  EXPECT_EQ(response->items_size(), 2);
}

TEST(AssembleBlocks, GivesApiTemplatesTheColdQuotaWhereThePackingHasThem) {
  const std::vector<OfferedItem> offers = {Offer("a", {350}), Role(OfferRole::kApi, "x", {150}),
                                           Role(OfferRole::kApi, "y", {100})};
  const auto bundle = AssembleBlocks(Request(), Rules("evokernel"), offers, ByteCounter());
  EXPECT_THAT(Order(*bundle), ElementsAre("spec", "x", "a", "state")) << "Q_c is 200";
  EXPECT_EQ(DecisionOf(*bundle, "x").selection(), v1::ItemDecision::API_TEMPLATE_WANTED);
  EXPECT_EQ(DecisionOf(*bundle, "x").tier(), v1::COLD);
  EXPECT_THAT(DecisionOf(*bundle, "y").reason(), HasSubstr("200 tokens of the cold tier"));
  const auto flat = AssembleBlocks(Request(), Rules("sage"), offers, ByteCounter());
  EXPECT_THAT(Order(*flat), ElementsAre("spec", "a", "state"));
  EXPECT_THAT(DecisionOf(*flat, "x").reason(), HasSubstr("packing FLAT takes no API templates"));
}

TEST(AssembleBlocks, ShowsTheChildrenOfTheStartPointBeforeThePool) {
  const auto response = AssembleBlocks(Request(), Rules("combined"),
                                       {Offer("a", {250, 150}), Role(OfferRole::kStartChild, "c", {120}, true),
                                        Role(OfferRole::kStartChild, "d", {120, 60})},
                                       ByteCounter());
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_THAT(Order(*response), ElementsAre("spec", "c", "a", "d", "state")) << "by strength from the edges: c, d, a";
  EXPECT_EQ(DecisionOf(*response, "d").tokens(), 60) << "the children take at most half of the warm tier";
  EXPECT_EQ(DecisionOf(*response, "c").selection(), v1::ItemDecision::START_CHILD);
  EXPECT_THAT(DecisionOf(*response, "c").reason(), HasSubstr("from the same start point"));
}

TEST(AssembleBlocks, LimitsTheChildrenToThePlacesOfThePolicy) {
  PolicyRules rules = Rules("combined");
  rules.top_k = 1;
  const auto response =
      AssembleBlocks(Request(), rules,
                     {Role(OfferRole::kStartChild, "c", {20}), Role(OfferRole::kStartChild, "d", {20})}, ByteCounter());
  EXPECT_THAT(DecisionOf(*response, "d").reason(), HasSubstr("beyond the 1 children"));
}

TEST(AssembleBlocks, PutsDocumentsIntoTheColdTierWithPlacesOfTheirOwn) {
  PolicyRules rules = Rules("kope");
  rules.top_k = 1;
  std::vector<OfferedItem> offers = {Offer("a", {10}), Offer("b", {10}), Offer("x", {10}), Offer("y", {10})};
  offers[2].ranked.mutable_item()->set_kind(v1::DOCUMENT);
  offers[3].ranked.mutable_item()->set_kind(v1::TRACE);
  const auto response = AssembleBlocks(Request(), rules, offers, ByteCounter());
  EXPECT_THAT(Order(*response), ElementsAre("spec", "x", "a", "state"));
  EXPECT_EQ(DecisionOf(*response, "x").tier(), v1::COLD);
  EXPECT_EQ(DecisionOf(*response, "y").tier(), v1::COLD);
}

TEST(AssembleBlocks, ShowsNothingOfTheMemoryWithRequiredOnly) {
  const auto response = AssembleBlocks(Request(), Rules("pass_at_k"),
                                       {Offer("a", {10}), Role(OfferRole::kResident, "r", {10}),
                                        Role(OfferRole::kApi, "x", {10}), Role(OfferRole::kStartChild, "c", {10})},
                                       ByteCounter());
  EXPECT_THAT(Order(*response), ElementsAre("spec", "state"));
  EXPECT_EQ(response->decisions_size(), 4);
  for (const v1::ItemDecision& decision : response->decisions()) {
    EXPECT_THAT(decision.reason(), HasSubstr("REQUIRED_ONLY takes nothing of the memory"));
  }
}

TEST(AssembleBlocks, KeepsResidentsWhenTheProposerAsksForTheRest) {
  const auto response = AssembleBlocks(Request(), Rules("external_agent"),
                                       {Offer("a", {10}), Role(OfferRole::kResident, "r", {10})}, ByteCounter());
  EXPECT_THAT(Order(*response), ElementsAre("spec", "r", "state"));
  EXPECT_THAT(DecisionOf(*response, "a").reason(), HasSubstr("PROPOSER_ASKS leaves it to the proposer to ask"));
}

TEST(AssembleBlocks, LeavesOutAnItemWithoutText) {
  const auto response = AssembleBlocks(Request(), Rules("combined"), {Offer("a", {})}, ByteCounter());
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_THAT(DecisionOf(*response, "a").reason(), HasSubstr("it has no text"));
}

TEST(AssembleBlocks, RendersOnlyWhatCompetesForRoomAndOnlyOnce) {
  int rendered = 0;
  const auto lazy = [&rendered](const std::string& id, int size) {
    OfferedItem offer = Offer(id, {});
    offer.render = [&rendered, size] {
      ++rendered;
      return std::vector<std::string>{std::string(size, 'x'), std::string(size / 2, 'x')};
    };
    return offer;
  };
  PolicyRules rules = Rules("sage");
  rules.top_k = 2;
  const auto response =
      AssembleBlocks(Request(), rules, {lazy("a", 300), lazy("b", 150), lazy("c", 10)}, ByteCounter());
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(rendered, 2);
  EXPECT_EQ(DecisionOf(*response, "a").tokens(), 300);
  EXPECT_EQ(DecisionOf(*response, "b").tokens(), 75);
  EXPECT_THAT(DecisionOf(*response, "b").reason(), HasSubstr("form 2 of 2"));
  EXPECT_FALSE(DecisionOf(*response, "c").included());
}

// Cannot count every third text.
class UnsureCounter : public ByteCounter {
 public:
  TokenCount Measure(absl::string_view text) const override {
    return {.tokens = static_cast<int64_t>(text.size()), .stood_in = text.size() % 3 == 0};
  }
};

TEST(AssembleBlocks, SaysWhichCounterCountedAndWhetherAnotherStoodIn) {
  EXPECT_EQ(AssembleBlocks(Request(), Rules("combined"), {}, ByteCounter())->token_counter(), "bytes");
  EXPECT_EQ(AssembleBlocks(Request(), Rules("combined"), {Offer("a", {20})}, UnsureCounter())->token_counter(),
            "bytes; the conservative count stood in for 1 of 3 texts");
}

TEST(AssembleBlocks, CountsOnlyWhatItMayTake) {
  class CountingCounter : public ByteCounter {
   public:
    TokenCount Measure(absl::string_view text) const override {
      ++calls;
      return ByteCounter::Measure(text);
    }
    mutable int calls = 0;
  };
  const CountingCounter counter;
  PolicyRules rules = Rules("combined");
  rules.top_k = 1;
  EXPECT_TRUE(AssembleBlocks(Request(), rules, {Offer("a", {50, 40, 30}), Offer("b", {50, 40})}, counter).ok());
  EXPECT_EQ(counter.calls, 3) << "two required blocks and one form";
}

}  // namespace
}  // namespace kernelsmith::memory
