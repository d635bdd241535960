// The metrics of the memory, kernelsmith_memory_*. Totals follow the folded log, so they survive a restart.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/metrics.h"
#include "memory/graph/records.h"
#include "memory/log/fact_store.h"
#include "memory/retrieval/search/search_index.h"

namespace kernelsmith::memory {

// Thread-safe. `metrics` must outlive the object.
class MemoryMetrics {
 public:
  explicit MemoryMetrics(common::Metrics& metrics);

  void CountRequest(const std::string& call, absl::StatusCode code);
  void ObserveRetrieval(absl::Duration duration) { retrieval_seconds_.Observe(absl::ToDoubleSeconds(duration)); }
  // Of a model: "recorded" or "failed"; then the template's text stands.
  void CountRuleText(const std::string& outcome);
  // Adds what folding one fact changed.
  void CountFolded(const GraphCounts& before, const GraphCounts& after, int new_items);
  void SetStoreBytes(int64_t bytes) { store_bytes_.Set(static_cast<double>(bytes)); }
  // Sums over all teams, and what RocksDB says of its backlog.
  void SetIndex(const SearchStatistics& index, int64_t recorded_items, bool embedder_answers);
  void SetStoreHealth(const StoreHealth& health);

 private:
  common::Metrics& metrics_;
  prometheus::Histogram& retrieval_seconds_;
  prometheus::Gauge& facts_;
  prometheus::Gauge& items_;
  prometheus::Gauge& store_bytes_;
  prometheus::Gauge& index_lag_;
  prometheus::Gauge& unsealed_;
  prometheus::Gauge& without_vector_;
  prometheus::Gauge& segments_;
  prometheus::Gauge& index_bytes_;
  prometheus::Gauge& embedder_up_;
  prometheus::Gauge& pending_compaction_;
  prometheus::Gauge& writes_stopped_;
  prometheus::Counter& adopted_;
  prometheus::Counter& not_adopted_;
  prometheus::Counter& harmful_;
};

}  // namespace kernelsmith::memory
