// ListResidents and ListConflicts: what the memory has made of its items.
#include <functional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "memory/service/experience.h"
#include "memory/service/item_view.h"

namespace kernelsmith::memory {
namespace {

constexpr int kDefaultConflicts = 50;
constexpr int kMostConflicts = 200;

// Both outlive the result.
std::function<bool(int)> AdmittedBy(const ItemConditions& conditions, const ExperienceGraph& graph) {
  return [&](int item) { return graph.Admits(conditions, item); };
}

}  // namespace

absl::StatusOr<v1::ListResidentsResponse> Experience::ListResidents(const std::string& team,
                                                                    const v1::ListResidentsRequest& request) const {
  ASSIGN_OR_RETURN(const PolicyRules rules, ResolvePolicy(request.policy()));
  v1::ListResidentsResponse response;
  response.set_budget_tokens(rules.residents == v1::Policy::NO_RESIDENTS ? 0 : rules.resident_budget);
  const TeamMemory* memory = teams_.Find(team);
  if (memory == nullptr) return response;
  struct Listed {
    ResidentSets::Member member;
    bool resident = false;
    std::string recorded;  // rule text
  };
  std::vector<Listed> listed;
  {
    const ReaderLock lock(memory->mutex);
    const ResidentSets::Set* set = memory->graph.FindResidents(request.target(), request.policy());
    if (set == nullptr) return response;
    response.set_used_tokens(set->used_tokens);
    for (const ResidentSets::Member& member : set->members) listed.push_back({member, true, ""});
    for (const ResidentSets::Member& member : set->waiting) listed.push_back({member, false, ""});
    for (Listed& each : listed) {
      if (const RuleRecord* rule = memory->graph.FindRule(each.member.item)) each.recorded = rule->text;
    }
  }
  for (const Listed& each : listed) {
    const ItemState state = StateOf(*memory, each.member.item);
    ASSIGN_OR_RETURN(const Fact fact, store_->Read(state.team, state.sequence));
    v1::ResidentView& view = *response.add_items();
    *view.mutable_item() = Brief(ItemOf(fact, state.item.kind(), state.item.values()));
    view.set_utility(each.member.utility);
    view.set_usage(each.member.usage);
    view.set_tokens(each.member.tokens);
    view.set_resident(each.resident);
    view.set_rule_text(each.recorded.empty() ? RuleTextOf(fact, state.item.values()) : each.recorded);
  }
  return response;
}

absl::StatusOr<v1::ListConflictsResponse> Experience::ListConflicts(const std::string& team,
                                                                    const v1::ListConflictsRequest& request) const {
  if (request.page_size() < 0 || request.page_size() > kMostConflicts) {
    return common::InvalidField("page_size", absl::StrCat("is ", request.page_size(), "; it must lie within 1 and ",
                                                          kMostConflicts, ", or be 0 for ", kDefaultConflicts));
  }
  int from = 0;  // the token is the number of the next group; groups are never removed
  if (!request.page_token().empty() && (!absl::SimpleAtoi(request.page_token(), &from) || from < 0)) {
    return common::InvalidField("page_token", "is not one that this call has returned");
  }
  v1::ListConflictsResponse response;
  const TeamMemory* memory = teams_.Find(team);
  if (memory == nullptr) return response;
  ExperienceGraph::Conflicts found;
  {
    const ReaderLock lock(memory->mutex);
    const ItemConditions conditions = memory->graph.Conditions({.filter = request.filter()});
    found = memory->graph.FindConflicts(AdmittedBy(conditions, memory->graph), from,
                                        request.page_size() == 0 ? kDefaultConflicts : request.page_size());
  }
  for (const ItemConflict& conflict : found.conflicts) {
    ASSIGN_OR_RETURN(std::vector<v1::Item> sides,
                     ReadItems({StateOf(*memory, conflict.for_item), StateOf(*memory, conflict.against_item)}));
    v1::Conflict& out = *response.add_conflicts();
    *out.mutable_for_item() = std::move(sides[0]);
    *out.mutable_against_item() = std::move(sides[1]);
    out.set_reason(conflict.reason);
  }
  if (found.next >= 0) response.set_next_page_token(absl::StrCat(found.next));
  return response;
}

}  // namespace kernelsmith::memory
