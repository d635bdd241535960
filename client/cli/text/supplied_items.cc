#include "client/cli/text/supplied_items.h"

#include <algorithm>

namespace kernelsmith::client {

std::vector<SuppliedItem> SuppliedItems(const v1::ContextSupplied& supplied) {
  std::vector<const v1::ItemDecision*> included;
  for (const v1::ItemDecision& decision : supplied.decisions()) {
    if (decision.included() && !decision.item_id().empty()) included.push_back(&decision);
  }
  std::stable_sort(included.begin(), included.end(),
                   [](const auto* a, const auto* b) { return a->position() < b->position(); });
  std::vector<SuppliedItem> items;
  for (int i = 0; i < static_cast<int>(included.size()); ++i) {
    const std::string& id = included[static_cast<size_t>(i)]->item_id();
    items.push_back({.id = id, .title = i < supplied.titles_size() ? supplied.titles(i) : id});
  }
  return items;
}

}  // namespace kernelsmith::client
