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
  const auto further = origins_.find(item);
  if (further == origins_.end()) return;
  for (const uint32_t name : further->second) add(name);
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
  origins_.emplace(item, std::move(origins));
}

}  // namespace kernelsmith::memory
