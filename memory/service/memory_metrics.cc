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

void MemoryMetrics::CountFolded(const GraphCounts& before, const GraphCounts& after, int new_items) {
  facts_.Increment(static_cast<double>(after.facts - before.facts));
  items_.Increment(new_items);
  adopted_.Increment(static_cast<double>(after.adoptions - before.adoptions));
  not_adopted_.Increment(static_cast<double>(after.rejections - before.rejections));
  harmful_.Increment(static_cast<double>(after.harmful_adoptions - before.harmful_adoptions));
}

}  // namespace kernelsmith::memory
