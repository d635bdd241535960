// The exact filters of a query, compiled against one team's graph so that each item costs a few integer comparisons.
//
//   const ItemFilter filter(request.filter(), rules.held_out_operators, graph);
//   if (filter.Matches(item)) ...
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "kernelsmith/v1/memory.pb.h"
#include "memory/graph/experience_graph.h"

namespace kernelsmith::memory {

class ItemFilter {
 public:
  // `graph` must outlive the filter. An empty field does not filter; a value that no item has matches nothing.
  ItemFilter(const v1::Filter& filter, const std::vector<std::string>& held_out_operators,
             const ExperienceGraph& graph);

  bool Matches(int item) const;

  // True if every item matches, so that nobody needs to ask.
  bool passes_everything() const { return passes_everything_; }

 private:
  // A set of admitted values; `any` admits all.
  struct Choice {
    bool any = true;
    std::unordered_set<uint32_t> values;
    bool Admits(uint32_t value) const { return any || values.contains(value); }
  };

  template <typename Repeated>
  Choice NamesOf(const Repeated& names) const;

  const ExperienceGraph& graph_;
  bool passes_everything_ = false;
  bool correct_only_ = false;
  Choice kinds_, labels_, stages_, purposes_, layers_;
  Choice operators_, families_, levels_, bottlenecks_, thoughts_, proposer_kinds_, sessions_, architecture_;
  std::unordered_set<uint32_t> excluded_sessions_;
  std::unordered_set<uint32_t> held_out_;
};

}  // namespace kernelsmith::memory
