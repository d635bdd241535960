// Items that are no attempts, promoted items, what happens to items later, and rule texts.
#include <algorithm>
#include <utility>

#include "memory/graph/experience_graph.h"
#include "memory/graph/rule_text.h"

namespace kernelsmith::memory {
namespace {

constexpr double kDefaultConfidence = 0.8;
constexpr uint32_t kEveryones = 1;  // of Facet::kShared
constexpr uint32_t kRevoked = 2;

}  // namespace

void ExperienceGraph::FillFacets(const v1::RecordItemRequest& request, const FactNotes& notes, Facets& facets) {
  const v1::ItemContent& content = request.content();
  facets.operator_name = strings_.Intern(content.operator_name());
  facets.family = strings_.Intern(content.family());
  facets.level = strings_.Intern(content.level());
  facets.thought = strings_.Intern(content.thought().id());
  facets.bottleneck =
      strings_.Intern(content.bottleneck().empty() ? content.thought().bottleneck() : content.bottleneck());
  facets.producer = strings_.Intern(request.producer());
  facets.proposer_kind = strings_.Intern(request.author().kind());
  facets.model = strings_.Intern(request.author().model());
  FillTarget(request.target(), facets);
  const v1::Applicability& applicability = content.applicability();
  if (facets.architecture == 0 && applicability.architectures_size() > 0) {
    facets.architecture = strings_.Intern(applicability.architectures(0));
  }
  facets.applicability = applicability_.Intern(applicability);
  facets.bundle = strings_.Intern(content.bundle());
  facets.name = strings_.Intern(content.name());
  facets.stage = content.stage();
  facets.layer = content.layer() == v1::LAYER_UNSPECIFIED ? content.thought().layer() : content.layer();
  if (applicability.dtypes_size() > 0) facets.dtype = static_cast<v1::DType>(applicability.dtypes(0));
  facets.is_private = request.scope() == v1::PRIVATE;
  facets.confidence = kDefaultConfidence;
  const size_t bytes = ContentRule(content.title(), "").size() + static_cast<size_t>(notes.text_bytes());
  facets.rule_tokens = static_cast<uint32_t>(RuleTokens(static_cast<int64_t>(bytes)));
}

// What a field with several values has besides the first.
void ExperienceGraph::IndexContent(int item, const v1::ItemContent& content, bool has_target) {
  const auto number = static_cast<uint32_t>(item);
  const v1::Applicability& applicability = content.applicability();
  for (const int dtype : applicability.dtypes()) index_.Add(Facet::kDtype, static_cast<uint32_t>(dtype), number);
  if (has_target) return;
  for (const std::string& name : applicability.architectures()) {
    index_.Add(Facet::kArchitecture, strings_.Intern(name), number);
  }
}

// Those of its sources of this graph.
std::vector<uint32_t> ExperienceGraph::OriginsOf(const v1::ItemContent& content) const {
  std::vector<uint32_t> origins;
  for (const std::string& id : content.source_item_ids()) {
    const int source = FindItem(id);
    if (source >= 0) AddOriginsOf(source, origins);
  }
  return origins;
}

void ExperienceGraph::ApplyItem(const Fact& fact, const std::vector<std::string>& origins) {
  const v1::RecordItemRequest& request = fact.item();
  const IdKey id = KeyOf(IdKind::kContent, team_, request.producer(), request.item_key());
  if (item_by_id_.contains(id)) return;
  const FactNotes notes = NotesOf(fact);
  ContentRecord record;
  FillFacets(request, notes, record);
  record.sequence = fact.sequence();
  contents_.push_back(record);
  const int item = AddItem(id, request.content().kind(), -1, static_cast<int>(contents_.size()) - 1);
  Index(item);
  IndexContent(item, request.content(), !request.target().architecture().empty());
  NoteOrigins(item, OriginsOf(request.content()), origins);
  if (notes.text_signature().size() == kSignatureSize) {
    near_duplicates_.Add(item, DuplicateGroup(request.content().kind(), record), notes.text_signature());
  }
}

uint64_t ExperienceGraph::DuplicateGroup(v1::ItemKind kind, const Facets& facets) const {
  // Equal texts about other things are no duplicates: an API template stands for its name, a rule for its target.
  const uint32_t name = kind == v1::API_TEMPLATE ? facets.name : 0;
  return absl::HashOf(static_cast<int>(kind), facets.applicability, facets.bundle, name, facets.architecture,
                      facets.soc);
}

void ExperienceGraph::ApplySharedItem(const Fact& fact, const std::vector<std::string>& origins) {
  const storage::v1::SharedItemFact& shared = fact.shared_item();
  const std::optional<IdKey> id = ParseId(shared.shared_item_id());
  if (!id.has_value() || id->kind != IdKind::kShared) return;
  const auto known = item_by_id_.find(*id);
  if (known != item_by_id_.end()) {
    // Promoted again: more readers, or none for a while. What others see stays as it was.
    ShareWith(known->second, shared.provenance());
    return;
  }
  if (!shared.has_attempt() && !shared.has_item()) return;
  const FactNotes notes = NotesOf(fact);
  ContentRecord record;
  if (shared.has_attempt()) {
    FillFacets(shared.attempt(), record);
    const v1::RecordAttemptRequest& attempt = shared.attempt();
    const std::string rule =
        AttemptRule(attempt.case_(), attempt.target(), shared.values().label(), shared.values().r());
    record.rule_tokens = static_cast<uint32_t>(RuleTokens(static_cast<int64_t>(rule.size())));
  } else {
    FillFacets(shared.item(), notes, record);
  }
  record.sequence = fact.sequence();
  record.is_private = false;
  record.label = shared.values().label();
  record.r = shared.values().r();
  record.d = shared.values().d();
  if (shared.values().confidence() > 0) record.confidence = shared.values().confidence();
  record.provenance = static_cast<int>(provenances_.size());
  provenances_.push_back({.team = shared.provenance().team(), .item_id = shared.provenance().item_id()});
  contents_.push_back(record);
  const int item = AddItem(*id, shared.kind(), -1, static_cast<int>(contents_.size()) - 1);
  Index(item);
  if (shared.has_item()) {
    IndexContent(item, shared.item().content(), !shared.item().target().architecture().empty());
  }
  NoteOrigins(item, {}, origins);
  index_.Add(Facet::kOrigin, strings_.Intern(shared.provenance().team()), static_cast<uint32_t>(item));
  ShareWith(item, shared.provenance());
}

// Readers add up, unless the item was revoked before.
void ExperienceGraph::ShareWith(int item, const v1::Provenance& provenance) {
  const auto number = static_cast<uint32_t>(item);
  ProvenanceRecord& record = provenances_[contents_[items_[item].content].provenance];
  record.reason = provenance.reason();
  if (record.revoked) {
    record.revoked = false;
    index_.Remove(Facet::kShared, kRevoked, number);
    index_.Remove(Facet::kShared, kEveryones, number);
    for (const std::string& team : record.readers) index_.Remove(Facet::kReader, strings_.Intern(team), number);
    record.readers.clear();
  } else if (index_.Contains(Facet::kShared, kEveryones, number)) {
    return;
  }
  if (provenance.readers().empty()) {
    index_.Add(Facet::kShared, kEveryones, number);
    for (const std::string& team : record.readers) index_.Remove(Facet::kReader, strings_.Intern(team), number);
    record.readers.clear();
    return;
  }
  for (const std::string& team : provenance.readers()) {
    if (std::find(record.readers.begin(), record.readers.end(), team) != record.readers.end()) continue;
    record.readers.push_back(team);
    index_.Add(Facet::kReader, strings_.Intern(team), number);
  }
}

void ExperienceGraph::TakeOut(int item) {
  if (IsOut(item)) return;
  index_.Add(Facet::kOut, 1, static_cast<uint32_t>(item));
  ++counts_.retired;
  residents_.Touch(item);
}

void ExperienceGraph::ApplyLifecycle(const Fact& fact) {
  const storage::v1::LifecycleFact& event = fact.lifecycle();
  if (event.has_retire()) {
    const int item = FindItem(event.retire().item_id());
    if (item >= 0) Retire(item, event.retire().reason());
  } else if (event.has_supersede()) {
    const int old_item = FindItem(event.supersede().old_item_id());
    const int new_item = FindItem(event.supersede().new_item_id());
    if (old_item >= 0 && new_item >= 0) Supersede(old_item, new_item, event.supersede().reason());
  } else if (event.has_revoke()) {
    const int item = FindItem(event.revoke().shared_item_id());
    if (item >= 0) Revoke(item, event.revoke().reason());
  }
}

void ExperienceGraph::Retire(int item, const std::string& reason) {
  LifecycleRecord& life = lifecycle_[item];
  if (life.retired) return;
  life.retired = true;
  life.reason = reason;
  TakeOut(item);
}

// The first statement about an item stands; one that would close a circle says nothing.
void ExperienceGraph::Supersede(int old_item, int new_item, const std::string& reason) {
  for (int item = new_item; item >= 0;) {
    if (item == old_item) return;
    const auto life = lifecycle_.find(item);
    item = life == lifecycle_.end() ? -1 : life->second.superseded_by;
  }
  LifecycleRecord& life = lifecycle_[old_item];
  if (life.superseded_by >= 0) return;
  life.superseded_by = new_item;
  if (!life.retired) life.reason = reason;
  lifecycle_[new_item].supersedes.push_back(old_item);
  TakeOut(old_item);
}

void ExperienceGraph::Revoke(int item, const std::string& reason) {
  const int number = items_[item].content < 0 ? -1 : contents_[items_[item].content].provenance;
  if (number < 0 || provenances_[number].revoked) return;
  provenances_[number].revoked = true;
  provenances_[number].reason = reason;
  index_.Add(Facet::kShared, kRevoked, static_cast<uint32_t>(item));
}

void ExperienceGraph::ApplyRuleText(const Fact& fact) {
  const storage::v1::RuleTextFact& rule = fact.rule_text();
  const int item = FindItem(rule.item_id());
  if (item < 0) return;
  rules_[item] = {.sequence = fact.sequence(),
                  .text = rule.text(),
                  .tokens = rule.tokens() > 0 ? rule.tokens() : RuleTokens(static_cast<int64_t>(rule.text().size())),
                  .author = rule.author()};
  residents_.Touch(item);
}

}  // namespace kernelsmith::memory
