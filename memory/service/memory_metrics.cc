#include "memory/service/memory_metrics.h"

#include "absl/status/status.h"

namespace kernelsmith::memory {
namespace {

constexpr char kAdoptions[] = "kernelsmith_memory_adoptions_total";
constexpr char kAdoptionsHelp[] = "Retrieved items by what the proposer said of them";

}  // namespace

MemoryMetrics::MemoryMetrics(common::Metrics& metrics)
    : metrics_(metrics),
      retrieval_seconds_(metrics.AddHistogram(
          "kernelsmith_memory_retrieval_seconds", "Time to filter, rank and read the items of one query", {},
          {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1})),
      facts_(metrics.AddGauge("kernelsmith_memory_facts", "Facts in the log, all teams")),
      items_(metrics.AddGauge("kernelsmith_memory_items", "Retrievable items, all teams")),
      store_bytes_(metrics.AddGauge("kernelsmith_memory_store_bytes", "Bytes of the store, files and write buffers")),
      index_lag_(metrics.AddGauge("kernelsmith_memory_index_lag_items", "Recorded items that are not searchable yet")),
      unsealed_(metrics.AddGauge("kernelsmith_memory_index_unsealed_items", "Searchable items that are in no segment")),
      without_vector_(metrics.AddGauge("kernelsmith_memory_index_without_vector_items",
                                       "Searchable items that wait for their vector")),
      segments_(metrics.AddGauge("kernelsmith_memory_index_segments", "Sealed segments of words, all teams")),
      index_bytes_(metrics.AddGauge("kernelsmith_memory_index_resident_bytes", "Memory of the search indexes")),
      embedder_up_(metrics.AddGauge("kernelsmith_memory_embedder_up", "1 unless the embedder does not answer")),
      pending_compaction_(metrics.AddGauge("kernelsmith_memory_store_pending_compaction_bytes",
                                           "Bytes that the store has yet to merge, an estimate")),
      writes_stopped_(metrics.AddGauge("kernelsmith_memory_store_writes_stopped",
                                       "1 while the store takes no writes until it has caught up")),
      adopted_(metrics.AddCounter(kAdoptions, kAdoptionsHelp, {{"state", "adopted"}})),
      not_adopted_(metrics.AddCounter(kAdoptions, kAdoptionsHelp, {{"state", "not_adopted"}})),
      harmful_(metrics.AddCounter("kernelsmith_memory_harmful_adoptions_total", "Adopted items whose attempt failed")) {
}

void MemoryMetrics::CountRequest(const std::string& call, absl::StatusCode code) {
  metrics_
      .AddCounter("kernelsmith_memory_requests_total", "Calls by name and canonical status code",
                  {{"call", call}, {"code", absl::StatusCodeToString(code)}})
      .Increment();
}

void MemoryMetrics::CountRuleText(const std::string& outcome) {
  metrics_
      .AddCounter("kernelsmith_memory_rule_texts_total", "Rule texts that a model was asked for, by outcome",
                  {{"outcome", outcome}})
      .Increment();
}

void MemoryMetrics::SetIndex(const SearchStatistics& index, int64_t recorded_items, bool embedder_answers) {
  index_lag_.Set(static_cast<double>(recorded_items - index.indexed));
  unsealed_.Set(static_cast<double>(index.unsealed));
  without_vector_.Set(static_cast<double>(index.without_vector));
  segments_.Set(static_cast<double>(index.segments));
  index_bytes_.Set(static_cast<double>(index.memory_bytes));
  embedder_up_.Set(embedder_answers ? 1 : 0);
}

void MemoryMetrics::SetStoreHealth(const StoreHealth& health) {
  pending_compaction_.Set(static_cast<double>(health.pending_compaction_bytes));
  writes_stopped_.Set(health.writes_stopped ? 1 : 0);
}

void MemoryMetrics::CountFolded(const GraphCounts& before, const GraphCounts& after, int new_items) {
  facts_.Increment(static_cast<double>(after.facts - before.facts));
  items_.Increment(new_items);
  adopted_.Increment(static_cast<double>(after.adoptions - before.adoptions));
  not_adopted_.Increment(static_cast<double>(after.rejections - before.rejections));
  harmful_.Increment(static_cast<double>(after.harmful_adoptions - before.harmful_adoptions));
}

}  // namespace kernelsmith::memory
