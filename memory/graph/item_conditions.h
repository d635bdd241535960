// The hard limits of one query: what an item must be to be retrievable at all, whatever its relevance.
//
//   const ItemConditions conditions = ConditionsOf({.filter = request.filter(), .target = target, .producer = "c1"},
//                                                  [&](absl::string_view name) { return strings.Find(name); });
//   conditions.Admit(index, applicability, facets.applicability, item);
//
// retrieval/item_filter.h evaluates the same conditions for all items at once.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "kernelsmith/v1/memory.pb.h"
#include "memory/graph/applicability_table.h"
#include "memory/graph/item_bitmap.h"

namespace kernelsmith::memory {

// Whose items other teams have promoted.
constexpr char kSharedTeam[] = "shared";

// Who asks, and for what.
struct ItemQuery {
  v1::Filter filter;
  std::vector<std::string> held_out_operators;
  v1::Target target;        // items whose applicability excludes it are not retrievable; empty fields exclude nothing
  std::string producer;     // reads its own private items too; empty: none
  std::string reader_team;  // in the graph of "shared": who asks. Elsewhere empty
};

struct ItemConditions {
  struct Choice {
    Facet facet;
    std::vector<uint32_t> values;
  };
  std::vector<Choice> any_of;   // of each, the item has one of the values; no values: nothing has
  std::vector<Choice> none_of;  // of each, the item has none of the values
  std::optional<uint32_t> producer;
  bool for_reader = false;              // in the graph of "shared"
  std::optional<uint32_t> reader_team;  // with for_reader; nothing: a team that nothing names
  v1::Target target;

  // `applicability_number` is the item's.
  bool Admit(const FacetIndex& index, const ApplicabilityTable& applicability, uint32_t applicability_number,
             uint32_t item) const;
};

// `number_of` gives the number of a name in the graph's StringTable; a name without one is no item's.
ItemConditions ConditionsOf(const ItemQuery& query,
                            const std::function<std::optional<uint32_t>(absl::string_view)>& number_of);

}  // namespace kernelsmith::memory
