#include "memory/graph/experience_graph.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace kernelsmith::memory {

ExperienceGraph::ExperienceGraph(std::string team) : team_(std::move(team)) {}

std::vector<SharedUpdate> ExperienceGraph::Apply(const Fact& fact, const std::vector<std::string>& origins) {
  ++counts_.facts;
  counts_.last_sequence = fact.sequence();
  std::vector<SharedUpdate> updates;
  switch (fact.fact_case()) {
    case Fact::kAttempt:
      ApplyAttempt(fact, updates);
      break;
    case Fact::kRetrieval:
      ApplyRetrieval(fact);
      break;
    case Fact::kAdoption:
      ApplyAdoption(fact, updates);
      break;
    case Fact::kStage:
      ApplyStage(fact, updates);
      break;
    case Fact::kItem:
      ApplyItem(fact, origins);
      break;
    case Fact::kLifecycle:
      ApplyLifecycle(fact);
      break;
    case Fact::kSharedItem:
      ApplySharedItem(fact, origins);
      break;
    case Fact::kRuleText:
      ApplyRuleText(fact);
      break;
    case Fact::FACT_NOT_SET:
      break;
  }
  return updates;
}

const Facets& ExperienceGraph::facets(int item) const {
  const ItemRecord& record = items_[item];
  if (record.attempt >= 0) return attempts_[record.attempt];
  return contents_[record.content];
}

int ExperienceGraph::AddItem(const IdKey& id, v1::ItemKind kind, int attempt, int content) {
  const int item = item_count();
  item_by_id_.emplace(id, item);
  items_.push_back({.id = id, .kind = kind, .attempt = attempt, .content = content});
  return item;
}

void ExperienceGraph::Index(int item) {
  const Facets& facets = this->facets(item);
  const auto number = static_cast<uint32_t>(item);
  const std::pair<Facet, uint32_t> values[] = {
      {Facet::kKind, static_cast<uint32_t>(items_[item].kind)},
      {Facet::kOperator, facets.operator_name},
      {Facet::kFamily, facets.family},
      {Facet::kLevel, facets.level},
      {Facet::kLabel, static_cast<uint32_t>(LabelOfItem(item))},
      {Facet::kStage, static_cast<uint32_t>(facets.stage)},
      {Facet::kPurpose, static_cast<uint32_t>(facets.purpose)},
      {Facet::kLayer, static_cast<uint32_t>(facets.layer)},
      {Facet::kBottleneck, facets.bottleneck},
      {Facet::kThought, facets.thought},
      {Facet::kProposerKind, facets.proposer_kind},
      {Facet::kModel, facets.model},
      {Facet::kProducer, facets.producer},
      {Facet::kSession, facets.session},
      {Facet::kArchitecture, facets.architecture},
      {Facet::kDtype, static_cast<uint32_t>(facets.dtype)},
      {Facet::kBundle, facets.bundle},
      {Facet::kName, facets.name},
  };
  for (const auto& [facet, value] : values) index_.Add(facet, value, number);
  if (facets.applicability != 0) index_.Add(Facet::kApplicability, facets.applicability, number);
  if (facets.failed) index_.Add(Facet::kFailed, 1, number);
  if (facets.is_private) index_.Add(Facet::kPrivate, 1, number);
  switch (items_[item].kind) {
    case v1::CASE:
    case v1::RULE:
    case v1::INSIGHT:
    case v1::BEST_PRACTICE:
    case v1::PROCEDURAL_DIGEST:
      if (facets.thought != 0) {
        conflicts_.Add({facets.thought, facets.family, facets.architecture, facets.dtype, facets.layer}, item);
      }
      break;
    default:
      break;
  }
}

LearnedValues& ExperienceGraph::Learned(int item) {
  int& values = items_[item].values;
  if (values < 0) {
    values = static_cast<int>(learned_.size());
    learned_.emplace_back();
  }
  return learned_[values];
}

void ExperienceGraph::ChangeValues(int item, const std::function<void(LearnedValues&)>& change) {
  LearnedValues& values = Learned(item);
  const auto count = [&](int64_t by) {
    if (values.n_adopted > 0 || values.n_retrieved == 0) return;
    if (never_adopted_.size() <= values.n_retrieved) never_adopted_.resize(values.n_retrieved + 1);
    never_adopted_[values.n_retrieved] += by;
  };
  count(-1);
  change(values);
  count(1);
  residents_.Touch(item);
}

std::string ExperienceGraph::IdOfRef(int ref) const {
  return ref >= 0 ? IdOf(ref) : FormatId(shared_refs_[static_cast<size_t>(-1 - ref)]);
}

int ExperienceGraph::FindItem(absl::string_view item_id) const {
  const std::optional<IdKey> id = ParseId(item_id);
  if (!id.has_value()) return -1;
  const auto entry = item_by_id_.find(*id);
  return entry == item_by_id_.end() ? -1 : entry->second;
}

const RetrievalRecord* ExperienceGraph::FindRetrieval(absl::string_view retrieval_id) const {
  const auto entry = retrieval_by_id_.find(ParseOrHashId(retrieval_id));
  return entry == retrieval_by_id_.end() ? nullptr : &retrievals_[entry->second];
}

const StageRecord* ExperienceGraph::FindStage(absl::string_view producer, absl::string_view stage_id) const {
  const auto entry = stage_by_key_.find(AttemptKey(producer, stage_id));
  return entry == stage_by_key_.end() ? nullptr : &stages_[entry->second];
}

std::string ExperienceGraph::TargetText(const v1::Target& target) {
  return absl::StrCat(target.architecture(), "\n", target.soc(), "\n", target.toolchain(), "\n", target.driver());
}

}  // namespace kernelsmith::memory
