// What a prompt is offered beside the pool: residents, the start point's children, API templates by name.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_format.h"
#include "common/status.h"
#include "memory/context/rendering.h"
#include "memory/service/experience.h"
#include "memory/service/item_view.h"

namespace kernelsmith::memory {
namespace {

constexpr int kMostChildren = 16;
constexpr int kMostTemplates = 16;

// The children of a start point with the most telling first: the largest change of speed, either way.
std::vector<int> ChildrenOf(const ExperienceGraph& graph, int attempt) {
  std::vector<int> children = graph.forest().successors(attempt);
  const auto distance = [&](int child) { return std::abs(std::log(std::max(graph.forest().node(child).r, 0.01))); };
  std::stable_sort(children.begin(), children.end(), [&](int a, int b) { return distance(a) > distance(b); });
  if (children.size() > kMostChildren) children.resize(kMostChildren);
  return children;
}

}  // namespace

// Members of the set first, by falling U: the packer admits them until the warm tier is full and lists the rest.
absl::StatusOr<std::vector<OfferedItem>> Experience::OfferResidents(const TeamMemory& memory,
                                                                    const v1::AssembleContextRequest& request,
                                                                    const PolicyRules& rules) const {
  std::vector<OfferedItem> offers;
  if (rules.residents == v1::Policy::NO_RESIDENTS) return offers;
  std::vector<ResidentSets::Member> members;
  std::vector<std::string> recorded;
  {
    const ReaderLock lock(memory.mutex);
    const ResidentSets::Set* set = memory.graph.FindResidents(request.target(), request.policy());
    if (set == nullptr) return offers;
    members = set->members;
    for (const ResidentSets::Member& member : members) {
      const RuleRecord* rule = memory.graph.FindRule(member.item);
      recorded.push_back(rule == nullptr ? "" : rule->text);
    }
  }
  for (size_t i = 0; i < members.size(); ++i) {
    const ItemState state = StateOf(memory, members[i].item);
    ASSIGN_OR_RETURN(const Fact fact, store_->Read(state.team, state.sequence));
    OfferedItem& offer = offers.emplace_back();
    offer.role = OfferRole::kResident;
    v1::Item& item = *offer.ranked.mutable_item();
    item = ItemOf(fact, state.item.kind(), state.item.values());
    const std::string text = recorded[i].empty() ? RuleTextOf(fact, item.values()) : recorded[i];
    offer.renderings = ResidentRenderings(item, text);
    offer.ranked.set_score(members[i].utility);
    offer.ranked.set_rank(static_cast<int32_t>(i) + 1);
    offer.ranked.set_reason(absl::StrFormat("resident, U %.3g a token, p %.3f", members[i].utility, members[i].usage));
  }
  return offers;
}

absl::StatusOr<std::vector<OfferedItem>> Experience::OfferStartChildren(
    const TeamMemory& memory, const v1::AssembleContextRequest& request) const {
  std::vector<OfferedItem> offers;
  if (request.stage() != v1::REFINING || request.start_attempt_id().empty()) return offers;
  std::vector<int> items;
  std::vector<bool> failed;
  {
    const ReaderLock lock(memory.mutex);
    const int start = memory.graph.forest().Find(request.producer(), request.start_attempt_id());
    if (start == AttemptForest::kNone) return offers;
    const auto& held_out = request.policy().held_out_operators();
    const ItemConditions visible = memory.graph.Conditions(
        {.held_out_operators = {held_out.begin(), held_out.end()}, .producer = request.producer()});
    for (const int child : ChildrenOf(memory.graph, start)) {
      const int item = memory.graph.attempt(child).case_item;
      if (!memory.graph.Admits(visible, item)) continue;
      items.push_back(item);
      failed.push_back(memory.graph.facets(item).failed);
    }
  }
  std::vector<ItemState> states;
  for (const int item : items) states.push_back(StateOf(memory, item));
  ASSIGN_OR_RETURN(std::vector<v1::Item> read, ReadItems(states));
  for (size_t i = 0; i < read.size(); ++i) {
    OfferedItem& offer = offers.emplace_back();
    offer.role = OfferRole::kStartChild;
    offer.failure = failed[i];
    offer.renderings = ChildRenderings(read[i], false);
    offer.ranked.set_reason(absl::StrFormat("started from the same code, r %.3f", read[i].values().r()));
    offer.ranked.set_rank(static_cast<int32_t>(i) + 1);
    *offer.ranked.mutable_item() = std::move(read[i]);
  }
  return offers;
}

absl::StatusOr<std::vector<OfferedItem>> Experience::OfferApiTemplates(const std::string& team,
                                                                       const v1::AssembleContextRequest& request,
                                                                       const RetrievalQuery& query) const {
  std::vector<OfferedItem> offers;
  if (request.api_names().empty() && request.api_bundle().empty()) return offers;
  RetrievalQuery wanted = query;
  wanted.filter = {};
  wanted.filter.add_kinds(v1::API_TEMPLATE);
  *wanted.filter.mutable_names() = request.api_names();
  if (!request.api_bundle().empty()) wanted.filter.add_bundles(request.api_bundle());
  if (!request.api_names().empty()) wanted.text.clear();  // exact names need no words
  wanted.rules.rank = RankRule::kRelevance;
  wanted.rules.epsilon = 0;
  wanted.limit = kMostTemplates;
  ASSIGN_OR_RETURN(FullRetrieval found, ReadRetrieval(team, wanted));
  for (FullItem& item : found.items) {
    OfferedItem& offer = offers.emplace_back();
    offer.role = OfferRole::kApi;
    offer.renderings = RenderingsOf(item.ranked.item(), item.other_target);
    offer.ranked = std::move(item.ranked);
  }
  return offers;
}

}  // namespace kernelsmith::memory
