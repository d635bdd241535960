#include "memory/graph/resident_sets.h"

#include <algorithm>
#include <utility>

#include "memory/graph/experience_graph.h"
#include "memory/values/residents.h"

namespace kernelsmith::memory {
namespace {

uint64_t NumberKey(uint32_t target, uint32_t identity) { return uint64_t{target} << 32 | identity; }

}  // namespace

const ResidentSets::Member* ResidentSets::Set::Find(int item) const {
  const auto found =
      std::find_if(members.begin(), members.end(), [item](const Member& member) { return member.item == item; });
  return found == members.end() ? nullptr : &*found;
}

int ResidentSets::Find(uint32_t target, uint32_t identity) const {
  const auto entry = numbers_.find(NumberKey(target, identity));
  return entry == numbers_.end() ? -1 : entry->second;
}

int ResidentSets::FindOrAdd(uint32_t target, uint32_t identity) {
  const auto [entry, added] = numbers_.try_emplace(NumberKey(target, identity), size());
  if (added) {
    StoredSet& set = sets_.emplace_back();
    set.visible.target = target;
    set.visible.identity = identity;
  }
  return entry->second;
}

void ResidentSets::MoveUsage(int set, const std::vector<ResidentUse>& uses, double step) {
  for (Member& member : sets_[set].visible.members) {
    const auto use =
        std::find_if(uses.begin(), uses.end(), [&member](const ResidentUse& u) { return u.item == member.item; });
    if (use != uses.end()) member.usage = UpdatedUsage(member.usage, use->used, step);
  }
}

int64_t ResidentSets::CountedEligible(int item) const {
  const auto entry = eligibility_.find(item);
  return entry == eligibility_.end() ? 0 : entry->second.stages;
}

// Membership of an item changes in a rebuild only, and a rebuild counts first what came before it; so since the last
// count the item has been in the sets in which it is now.
int64_t ResidentSets::Eligible(int item) {
  Eligibility& eligibility = eligibility_[item];
  for (; eligibility.counted < stages_.size(); ++eligibility.counted) {
    const EligibleStage& stage = stages_[eligibility.counted];
    if (item >= stage.items_known) continue;
    if (stage.resident_set >= 0 && sets_[stage.resident_set].visible.Find(item) != nullptr) continue;
    const bool passes = std::any_of(stage.queries.begin(), stage.queries.end(),
                                    [&](int query) { return graph_.Admits(graph_.stage_query(query), item); });
    if (passes) ++eligibility.stages;
  }
  return eligibility.stages;
}

void ResidentSets::UpdatePassing(StoredSet& set, const PolicyRules& rules, const v1::Target& target) const {
  const ItemConditions usable = graph_.Conditions({.held_out_operators = rules.held_out_operators, .target = target});
  for (; set.touched_seen < touched_.size(); ++set.touched_seen) {
    const int item = touched_[set.touched_seen];
    const LearnedValues* values = graph_.learned(item);
    const bool passes = values != nullptr && graph_.item(item).kind != v1::API_TEMPLATE &&
                        PassesGate({.u = values->u,
                                    .n_adopted = values->n_adopted,
                                    .operators = static_cast<int64_t>(values->adopters.size())},
                                   rules) &&
                        graph_.Admits(usable, item);
    if (passes) {
      set.passing.insert(item);
    } else {
      set.passing.erase(item);
    }
  }
}

void ResidentSets::Rebuild(int set, const PolicyRules& rules, const v1::Target& target, uint64_t seed) {
  StoredSet& stored = sets_[set];
  UpdatePassing(stored, rules, target);
  // What is resident now but passes no longer leaves; its stages are counted while it is still a member.
  for (const Member& member : stored.visible.members) Eligible(member.item);

  std::vector<Member> candidates;
  std::vector<ResidentCandidate> inputs;
  for (const int item : stored.passing) {
    const LearnedValues& values = *graph_.learned(item);
    const int64_t eligible = Eligible(item);
    const Member* member = stored.visible.Find(item);
    Member& candidate = candidates.emplace_back();
    candidate.item = item;
    candidate.usage = member != nullptr ? member->usage : ColdUsage(values.n_retrieved, eligible);
    candidate.tokens = graph_.RuleTokensOf(item);
    candidate.utility = ResidentUtility(values.u, candidate.usage, candidate.tokens);
    inputs.push_back({.utility = candidate.utility, .tokens = candidate.tokens});
  }
  stored.visible.budget_tokens = rules.resident_budget;
  Admit(stored, std::move(candidates),
        rules.residents == v1::Policy::RANDOM ? DrawResidents(inputs, rules.resident_budget, seed)
                                              : RebuildResidents(inputs, rules.resident_budget));
}

void ResidentSets::Admit(StoredSet& set, std::vector<Member> candidates, const std::vector<int>& chosen) {
  Set& visible = set.visible;
  for (const Member& member : visible.members) {
    if (--member_counts_[member.item] == 0) member_counts_.erase(member.item);
  }
  visible.members.clear();
  visible.waiting.clear();
  visible.used_tokens = 0;
  std::vector<bool> taken(candidates.size());
  for (const int index : chosen) {
    taken[index] = true;
    visible.members.push_back(candidates[index]);
    visible.used_tokens += candidates[index].tokens;
    ++member_counts_[candidates[index].item];
  }
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (!taken[i]) visible.waiting.push_back(candidates[i]);
  }
  std::stable_sort(visible.waiting.begin(), visible.waiting.end(),
                   [](const Member& a, const Member& b) { return a.utility > b.utility; });
}

}  // namespace kernelsmith::memory
