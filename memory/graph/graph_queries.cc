// What the graph answers: values and provenance of an item, who may see it, start points, duplicates, conflicts.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "memory/graph/experience_graph.h"

namespace kernelsmith::memory {

std::vector<v1::UtilityChange> ExperienceGraph::ChangesOf(const StageRecord& stage) const {
  std::vector<v1::UtilityChange> changes;
  for (const UtilityStep& step : stage.changes) {
    v1::UtilityChange& change = changes.emplace_back();
    change.set_item_id(IdOfRef(step.item));
    change.set_xi(step.xi);
    change.set_eta(step.eta);
    change.set_u_before(step.u_before);
    change.set_u_after(step.u_after);
  }
  return changes;
}

const LearnedValues* ExperienceGraph::learned(int item) const {
  return items_[item].values < 0 ? nullptr : &learned_[items_[item].values];
}

v1::Label ExperienceGraph::LabelOfItem(int item) const {
  const ItemRecord& record = items_[item];
  return record.attempt >= 0 ? forest_.node(record.attempt).label : contents_[record.content].label;
}

double ExperienceGraph::EffectOf(int item) const {
  const ItemRecord& record = items_[item];
  return record.attempt >= 0 ? forest_.node(record.attempt).r : contents_[record.content].r;
}

double ExperienceGraph::DownstreamOf(int item) const {
  const ItemRecord& record = items_[item];
  if (record.attempt >= 0) return forest_.d(record.attempt);
  const ContentRecord& content = contents_[record.content];
  return content.label == v1::LABEL_UNSPECIFIED ? 1 : content.d;
}

double ExperienceGraph::DownstreamOf(int item, const DownstreamWeights& weights) const {
  const bool is_usual = !weights.halve_leaves && !weights.mean;
  if (is_usual || items_[item].attempt < 0) return DownstreamOf(item);
  return forest_.DownstreamUnder(items_[item].attempt, weights);
}

v1::ItemValues ExperienceGraph::ValuesOf(int item) const {
  const ItemRecord& record = items_[item];
  v1::ItemValues values;
  if (const LearnedValues* learned = this->learned(item)) {
    values.set_u(learned->u);
    values.set_n_retrieved(learned->n_retrieved);
    values.set_n_adopted(learned->n_adopted);
    for (const uint32_t name : learned->adopters) values.add_adopting_operators(strings_.Text(name));
    std::sort(values.mutable_adopting_operators()->begin(), values.mutable_adopting_operators()->end());
    values.set_q_drafting(learned->q_drafting);
    values.set_q_refining(learned->q_refining);
    values.set_n_feedback(int64_t{learned->n_drafting} + learned->n_refining);
    values.set_n_harm(learned->n_harm);
  }
  const bool has_effect = record.attempt >= 0 || contents_[record.content].label != v1::LABEL_UNSPECIFIED;
  if (has_effect) {
    values.set_r(EffectOf(item));
    values.set_label(LabelOfItem(item));
    values.set_d(DownstreamOf(item));
  }
  values.set_confidence(facets(item).confidence);
  values.set_resident(residents_.IsResident(item));
  return values;
}

std::string ExperienceGraph::QContextText(const v1::Target& target, absl::string_view family) {
  return absl::StrCat(TargetText(target), "\n", family);
}

double ExperienceGraph::QOf(int item, v1::Stage stage, const PolicyRules& rules, const v1::Target& target,
                            absl::string_view family) const {
  const bool refining = stage == v1::REFINING;
  if (rules.q_by_family) {
    const std::optional<uint32_t> context = strings_.Find(QContextText(target, family));
    if (!context.has_value()) return rules.q0;
    const auto entry = q_by_context_.find({.item = item, .context = *context, .refining = refining});
    return entry == q_by_context_.end() ? rules.q0 : entry->second.q;
  }
  const LearnedValues* values = learned(item);
  if (values == nullptr || (refining ? values->n_refining : values->n_drafting) == 0) return rules.q0;
  return refining ? values->q_refining : values->q_drafting;
}

bool ExperienceGraph::MayRead(int item, absl::string_view producer) const {
  const Facets& facets = this->facets(item);
  return !facets.is_private || strings_.Text(facets.producer) == producer;
}

bool ExperienceGraph::IsSharedWith(int item, absl::string_view reader_team) const {
  const int number = items_[item].content < 0 ? -1 : contents_[items_[item].content].provenance;
  if (number < 0) return false;
  const ProvenanceRecord& provenance = provenances_[number];
  if (provenance.team == reader_team) return true;
  if (provenance.revoked) return false;
  return provenance.readers.empty() ||
         std::find(provenance.readers.begin(), provenance.readers.end(), reader_team) != provenance.readers.end();
}

v1::Scope ExperienceGraph::ScopeOf(int item) const {
  if (items_[item].id.kind == IdKind::kShared) return v1::SHARED;
  return facets(item).is_private ? v1::PRIVATE : v1::TEAM;
}

v1::Lifecycle ExperienceGraph::LifecycleOf(int item) const {
  v1::Lifecycle result;
  const auto entry = lifecycle_.find(item);
  if (entry == lifecycle_.end()) return result;
  const LifecycleRecord& life = entry->second;
  result.set_retired(life.retired);
  if (life.superseded_by >= 0) result.set_superseded_by(IdOf(life.superseded_by));
  result.set_reason(life.reason);
  for (const int older : life.supersedes) result.add_supersedes(IdOf(older));
  return result;
}

v1::Provenance ExperienceGraph::ProvenanceOf(int item) const {
  v1::Provenance result;
  const int number = items_[item].content < 0 ? -1 : contents_[items_[item].content].provenance;
  if (number < 0) return result;
  const ProvenanceRecord& provenance = provenances_[number];
  result.set_team(provenance.team);
  result.set_item_id(provenance.item_id);
  for (const std::string& reader : provenance.readers) result.add_readers(reader);
  result.set_reason(provenance.reason);
  result.set_revoked(provenance.revoked);
  return result;
}

ItemConditions ExperienceGraph::Conditions(const ItemQuery& query) const {
  return ConditionsOf(query, [this](absl::string_view name) { return strings_.Find(name); });
}

bool ExperienceGraph::Admits(const ItemConditions& conditions, int item) const {
  return conditions.Admit(index_, applicability_, facets(item).applicability, static_cast<uint32_t>(item));
}

bool ExperienceGraph::IsOtherTarget(int item, const v1::Target& target) const {
  const Facets& facets = this->facets(item);
  const bool has_target = (facets.architecture | facets.soc | facets.toolchain | facets.driver) != 0;
  if (!has_target && items_[item].attempt < 0) return false;
  const auto differs = [this](const std::string& wanted, uint32_t have) {
    return !wanted.empty() && wanted != strings_.Text(have);
  };
  return differs(target.architecture(), facets.architecture) || differs(target.soc(), facets.soc) ||
         differs(target.toolchain(), facets.toolchain) || differs(target.driver(), facets.driver);
}

std::vector<int> ExperienceGraph::StartPoints(absl::string_view session) const {
  std::vector<int> points;
  const std::optional<uint32_t> number = strings_.Find(session);
  const auto entry = number.has_value() ? sessions_.find(*number) : sessions_.end();
  if (entry == sessions_.end()) return points;
  for (const int attempt : entry->second.feasible) {
    if (!IsOut(attempts_[attempt].case_item)) points.push_back(attempt);
  }
  return points;
}

int64_t ExperienceGraph::JunkCount(int64_t retrievals) const {
  int64_t count = 0;
  for (auto n = static_cast<size_t>(std::max<int64_t>(1, retrievals)); n < never_adopted_.size(); ++n) {
    count += never_adopted_[n];
  }
  return count;
}

int ExperienceGraph::FindNearDuplicate(const v1::RecordItemRequest& request, absl::string_view signature) const {
  const v1::ItemContent& content = request.content();
  // Names without a number are no item's, so there is nothing to compare with.
  const auto number = [this](absl::string_view name) { return strings_.Find(name); };
  const std::optional<uint32_t> applicability = applicability_.Find(content.applicability());
  Facets facets;
  const std::string& architecture =
      request.target().architecture().empty() && content.applicability().architectures_size() > 0
          ? content.applicability().architectures(0)
          : request.target().architecture();
  const std::pair<const std::string&, uint32_t*> names[] = {{content.bundle(), &facets.bundle},
                                                            {content.name(), &facets.name},
                                                            {architecture, &facets.architecture},
                                                            {request.target().soc(), &facets.soc}};
  if (!applicability.has_value()) return -1;
  facets.applicability = *applicability;
  for (const auto& [name, field] : names) {
    const std::optional<uint32_t> known = number(name);
    const bool matters = field != &facets.name || content.kind() == v1::API_TEMPLATE;
    if (!known.has_value() && matters) return -1;
    *field = known.value_or(0);
  }
  return near_duplicates_.Find(DuplicateGroup(content.kind(), facets), signature,
                               [&](int item) { return !IsOut(item) && MayRead(item, request.producer()); });
}

const ResidentSets::Set* ExperienceGraph::FindResidents(const v1::Target& target, const v1::Policy& policy) const {
  const std::optional<uint32_t> number = strings_.Find(TargetText(target));
  const std::optional<uint32_t> identity = policies_.FindIdentity(policy);
  if (!number.has_value() || !identity.has_value()) return nullptr;
  const int set = residents_.Find(*number, *identity);
  return set < 0 ? nullptr : &residents_.set(set);
}

const RuleRecord* ExperienceGraph::FindRule(int item) const {
  const auto entry = rules_.find(item);
  return entry == rules_.end() ? nullptr : &entry->second;
}

int64_t ExperienceGraph::RuleTokensOf(int item) const {
  const RuleRecord* rule = FindRule(item);
  return rule != nullptr ? rule->tokens : facets(item).rule_tokens;
}

ExperienceGraph::Conflicts ExperienceGraph::FindConflicts(const std::function<bool(int)>& admit, int64_t from,
                                                          int limit, int64_t most_items) const {
  Conflicts result;
  const std::vector<std::vector<int>>& groups = conflicts_.groups();
  auto skip = static_cast<size_t>(from % kMostConflictsOfSituation);
  for (auto group = static_cast<size_t>(from / kMostConflictsOfSituation); group < groups.size(); ++group, skip = 0) {
    if (most_items <= 0) {
      result.next = static_cast<int64_t>(group) * kMostConflictsOfSituation;
      return result;
    }
    most_items -= static_cast<int64_t>(groups[group].size());
    std::vector<Evidence> situation;
    for (const int item : groups[group]) {
      if (!admit(item)) continue;
      const LearnedValues* values = learned(item);
      situation.push_back({item, LabelOfItem(item), EffectOf(item), values == nullptr ? 0 : values->u});
    }
    std::vector<ItemConflict> conflicts = ConflictsWithin(situation);
    for (size_t i = skip; i < conflicts.size(); ++i) {
      if (static_cast<int>(result.conflicts.size()) == limit) {
        result.next = static_cast<int64_t>(group) * kMostConflictsOfSituation + static_cast<int64_t>(i);
        return result;
      }
      result.conflicts.push_back(std::move(conflicts[i]));
    }
  }
  return result;
}

}  // namespace kernelsmith::memory
