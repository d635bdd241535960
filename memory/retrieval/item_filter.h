// The exact filters of a query, evaluated for every item of a graph at once: what may be retrieved at all.
//
//   const ItemFilter filter({.filter = request.filter(), .held_out_operators = rules.held_out_operators,
//                            .target = request.target(), .producer = request.producer()}, graph);
//   index.Search(query, limit, filter.allowed());   // null: every item
//   filter.count();
//
// A handful of bitmap operations, a few microseconds each for a million items. What a filter means is said in
// graph/item_conditions.h: an empty field does not filter; a value that no item has matches nothing; `correct_only`
// leaves out failed attempts, other kinds pass; an operator is held out with everything that was distilled from it;
// private items of others, retired and superseded ones (unless include_retired), and items whose applicability excludes
// the target never pass. In the graph of "shared" give the asking team in `reader_team`: it gets what is shared with it
// and not revoked, without what it promoted itself.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernelsmith/v1/memory.pb.h"
#include "memory/graph/experience_graph.h"

namespace kernelsmith::memory {

class ItemFilter {
 public:
  // `residents` are in the prompt anyway, so they are not retrieved; null if there are none.
  ItemFilter(const ItemQuery& query, const ExperienceGraph& graph, const ResidentSets::Set* residents = nullptr);

  // The allowed items, null if all of them are. Stays good when the graph grows: later items are not in it.
  const ItemBitmap* allowed() const { return allowed_.get(); }
  std::shared_ptr<const ItemBitmap> shared_allowed() const { return allowed_; }
  int64_t count() const { return count_; }

  bool passes_everything() const { return allowed_ == nullptr; }
  bool Matches(int item) const { return allowed_ == nullptr || allowed_->contains(static_cast<uint32_t>(item)); }

 private:
  std::shared_ptr<const ItemBitmap> allowed_;
  int64_t count_ = 0;
};

}  // namespace kernelsmith::memory
