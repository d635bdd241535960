// One team's folded state, its lock, and its search index. Readers share the lock; the commit queue's leader is the
// only writer. The index has a lock of its own and follows the graph: items are numbered alike.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "memory/graph/experience_graph.h"
#include "memory/graph/shared_mutex.h"
#include "memory/retrieval/search/search_index.h"

namespace kernelsmith::memory {

struct TeamMemory {
  TeamMemory(std::string team, std::unique_ptr<SearchIndex> opened)
      : graph(std::move(team)), index(std::move(opened)) {}

  mutable SharedMutex mutex;
  ExperienceGraph graph ABSL_GUARDED_BY(mutex);
  const std::unique_ptr<SearchIndex> index;
};

}  // namespace kernelsmith::memory
