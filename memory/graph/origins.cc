#include "memory/graph/origins.h"

#include <algorithm>
#include <utility>

#include "memory/graph/experience_graph.h"

namespace kernelsmith::memory {

std::vector<std::string> OriginsElsewhere(const Fact& fact, const GraphReader& read) {
  std::vector<std::string> origins;
  const auto add = [&](const std::string& team, const std::string& item_id) {
    read(team, [&](const ExperienceGraph& graph) {
      const int item = graph.FindItem(item_id);
      if (item < 0) return;
      for (std::string& name : graph.OriginsOf(item)) origins.push_back(std::move(name));
    });
  };
  if (fact.has_shared_item()) {
    const v1::Provenance& provenance = fact.shared_item().provenance();
    add(provenance.team(), provenance.item_id());
  } else if (fact.has_item()) {
    for (const std::string& id : fact.item().content().source_item_ids()) {
      const std::optional<IdKey> key = ParseId(id);
      if (key.has_value() && key->kind == IdKind::kShared) add(kSharedTeam, id);
    }
  }
  return origins;
}

std::vector<std::string> ExperienceGraph::OriginsOf(int item) const {
  std::vector<uint32_t> numbers;
  AddOriginsOf(item, numbers);
  std::vector<std::string> names;
  for (const uint32_t number : numbers) names.emplace_back(strings_.Text(number));
  std::sort(names.begin(), names.end());
  return names;
}

void ExperienceGraph::AddOriginsOf(int item, std::vector<uint32_t>& origins) const {
  const auto add = [&origins](uint32_t name) {
    if (name != 0 && std::find(origins.begin(), origins.end(), name) == origins.end()) origins.push_back(name);
  };
  add(facets(item).operator_name);
  const std::vector<uint32_t>* const further = FurtherOrigins(item);
  if (further == nullptr) return;
  for (const uint32_t name : *further) add(name);
}

const std::vector<uint32_t>* ExperienceGraph::FurtherOrigins(int item) const {
  const auto found = origins_.find(item);
  return found == origins_.end() ? nullptr : origin_sets_[found->second];
}

void ExperienceGraph::NoteOrigins(int item, std::vector<uint32_t> origins, const std::vector<std::string>& elsewhere) {
  for (const std::string& name : elsewhere) {
    const uint32_t number = strings_.Intern(name);
    if (std::find(origins.begin(), origins.end(), number) == origins.end()) origins.push_back(number);
  }
  std::erase(origins, facets(item).operator_name);
  std::erase(origins, 0U);
  if (origins.empty()) return;
  for (const uint32_t name : origins) index_.Add(Facet::kProvenance, name, static_cast<uint32_t>(item));
  const auto [set, is_new] =
      origin_set_numbers_.emplace(std::move(origins), static_cast<uint32_t>(origin_sets_.size()));
  if (is_new) origin_sets_.push_back(&set->first);
  origins_.emplace(item, set->second);
}

}  // namespace kernelsmith::memory
