// The forest that lineage nodes make: which stands under which. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::client {

struct ForestEntry {
  const v1::LineageNode* node = nullptr;
  size_t depth = 0;
  std::vector<bool> last;  // for each level from 1 to depth: whether that ancestor (or the node) is the last child
  size_t parent = kNone;   // index in the forest; kNone for a root
  size_t children = 0;
  bool cross_job = false;  // stands under an attempt of another job, whose code it started from
  static constexpr size_t kNone = static_cast<size_t>(-1);
};

// Depth first, roots and siblings in the order given. A node whose predecessor is not among them is a root, unless the
// case of another job that it started from is. Nodes that would stand under themselves are roots. `levels` bounds
// ForestEntry::last. Chains of any length: no recursion.
std::vector<ForestEntry> ArrangeForest(const std::vector<v1::LineageNode>& nodes, size_t levels);

}  // namespace kernelsmith::client
