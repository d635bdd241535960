#include "memory/context/assembly.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/memory/requests.h"

namespace kernelsmith::memory {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// One token per byte, so that tests can count.
class ByteCounter : public TokenCounter {
 public:
  int64_t Count(absl::string_view text) const override { return static_cast<int64_t>(text.size()); }
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

}  // namespace
}  // namespace kernelsmith::memory
