// One team's folded state and its lock. Readers share it; the commit queue's leader is the only writer.
#pragma once

#include <string>
#include <utility>

#include "memory/graph/experience_graph.h"
#include "memory/graph/shared_mutex.h"
#include "memory/retrieval/inverted_index.h"

namespace kernelsmith::memory {

struct TeamMemory {
  explicit TeamMemory(std::string team) : graph(std::move(team)) {}

  // Folds one fact into the graph and indexes the items that it adds: document number = item number.
  void Apply(const Fact& fact) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex);

  // Graph and index as text; equal states have equal fingerprints.
  std::string Fingerprint() const ABSL_SHARED_LOCKS_REQUIRED(mutex) {
    return graph.Fingerprint() + index.Fingerprint();
  }

  mutable SharedMutex mutex;
  ExperienceGraph graph ABSL_GUARDED_BY(mutex);
  InvertedIndex index ABSL_GUARDED_BY(mutex);
};

}  // namespace kernelsmith::memory
