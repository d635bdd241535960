// Retrievals and the adoption records about them.
#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "memory/graph/experience_graph.h"

namespace kernelsmith::memory {

// The number of an own item, or a reference to a shared one; kNoRef if the id names nothing.
int ExperienceGraph::RefOf(absl::string_view item_id) {
  const std::optional<IdKey> id = ParseId(item_id);
  if (!id.has_value()) return kNoRef;
  const auto own = item_by_id_.find(*id);
  if (own != item_by_id_.end()) return own->second;
  if (id->kind != IdKind::kShared) return kNoRef;
  const auto [entry, added] = shared_ref_numbers_.try_emplace(*id, -1 - static_cast<int>(shared_refs_.size()));
  if (added) shared_refs_.push_back(*id);
  return entry->second;
}

// The hard filters of a request as a number, so that stages share them.
int ExperienceGraph::StageQueryOf(const v1::AssembleContextRequest& request) {
  v1::AssembleContextRequest limits;
  *limits.mutable_filter() = request.filter();
  *limits.mutable_target() = request.target();
  limits.set_producer(request.producer());
  *limits.mutable_policy()->mutable_held_out_operators() = request.policy().held_out_operators();
  const auto [entry, added] =
      stage_query_numbers_.try_emplace(limits.SerializeAsString(), static_cast<int>(stage_queries_.size()));
  if (!added) return entry->second;
  const ItemQuery query{
      .filter = request.filter(),
      .held_out_operators = {request.policy().held_out_operators().begin(),
                             request.policy().held_out_operators().end()},
      .target = request.target(),
      .producer = request.producer(),
  };
  // Names that no item has yet get their number now, so that the conditions stay right for later items.
  stage_queries_.push_back(
      ConditionsOf(query, [this](absl::string_view name) { return std::optional<uint32_t>(strings_.Intern(name)); }));
  return entry->second;
}

void ExperienceGraph::ApplyRetrieval(const Fact& fact) {
  const v1::AssembleContextRequest& request = fact.retrieval().request();
  const v1::AssembleContextResponse& response = fact.retrieval().response();
  const int index = static_cast<int>(retrievals_.size());
  RetrievalRecord record{.sequence = fact.sequence(), .id = ParseOrHashId(response.retrieval_id())};
  if (!retrieval_by_id_.try_emplace(record.id, index).second) return;
  record.policy = policies_.Intern(request.policy());
  record.stage = request.stage();
  record.items_known = item_count();
  const PolicyRules* rules = policies_.rules(record.policy);
  const ResidentSets::Set* residents = nullptr;
  if (rules != nullptr) {
    if (rules->residents != v1::Policy::NO_RESIDENTS) {
      record.resident_set = residents_.Find(TargetNumber(request.target()), policies_.identity(record.policy));
      if (record.resident_set >= 0) residents = &residents_.set(record.resident_set);
    }
    if (!rules->read_only && LearnsUtility(*rules)) record.query = StageQueryOf(request);
    if (rules->q_by_family) record.q_context = QContext(request.target(), request.family());
  }
  absl::flat_hash_set<int> seen;
  for (const v1::ItemDecision& decision : response.decisions()) {
    const int ref = decision.included() ? RefOf(decision.item_id()) : kNoRef;
    if (ref == kNoRef || !seen.insert(ref).second) continue;
    const auto selection = decision.selection();
    const bool is_member = residents != nullptr && residents->Find(ref) != nullptr;
    const bool chosen =
        selection != v1::ItemDecision::START_CHILD && selection != v1::ItemDecision::API_TEMPLATE_WANTED;
    record.items.push_back({.item = ref,
                            .resident = selection == v1::ItemDecision::RESIDENT ||
                                        (selection == v1::ItemDecision::SELECTION_UNSPECIFIED && is_member),
                            .valued = chosen && (ref < 0 || items_[ref].kind != v1::API_TEMPLATE)});
  }
  const IdKey key = KeyOf(IdKind::kRetrieval, team_, request.producer(), request.attempt_id());
  record.attempt = forest_.Find(request.producer(), request.attempt_id());
  // In the order of the facts: the context of the attempt before the questions that its proposer asked.
  const auto [first, is_first] = first_retrieval_.try_emplace(key, index);
  if (!is_first) {
    int last = first->second;
    while (retrievals_[last].next >= 0) last = retrievals_[last].next;
    retrievals_[last].next = index;
  }
  retrievals_.push_back(std::move(record));
}

void ExperienceGraph::ApplyAdoption(const Fact& fact, std::vector<SharedUpdate>& updates) {
  const auto entry = retrieval_by_id_.find(ParseOrHashId(fact.adoption().retrieval_id()));
  if (entry == retrieval_by_id_.end() || retrievals_[entry->second].has_adoption) return;
  RetrievalRecord& retrieval = retrievals_[entry->second];
  absl::flat_hash_set<int> adopted;
  for (const v1::AdoptionRecord& record : fact.adoption().records()) {
    if (record.state() == v1::ADOPTED) adopted.insert(RefOf(record.item_id()));
  }
  retrieval.has_adoption = true;
  for (HeldItem& held : retrieval.items) {
    held.adopted = adopted.contains(held.item);
    ++(held.adopted ? counts_.adoptions : counts_.rejections);
  }
  CountHarm(retrieval, updates);
}

// Called once both the adoption and the attempt are there, whichever came last.
void ExperienceGraph::CountHarm(const RetrievalRecord& retrieval, std::vector<SharedUpdate>& updates) {
  if (!retrieval.has_adoption || retrieval.attempt < 0 || forest_.node(retrieval.attempt).correct) return;
  const PolicyRules* rules = policies_.rules(retrieval.policy);
  const bool frozen = rules == nullptr || rules->read_only;
  for (const HeldItem& held : retrieval.items) {
    if (!held.adopted) continue;
    ++counts_.harmful_adoptions;
    if (frozen) continue;
    if (held.item < 0) {
      updates.push_back({.what = SharedUpdate::What::kHarm, .item = shared_refs_[static_cast<size_t>(-1 - held.item)]});
    } else {
      ++Learned(held.item).n_harm;
    }
  }
}

}  // namespace kernelsmith::memory
