// One engine of the comparison: filled once, then asked query by query from one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tests/bench/memory/peers/workload.h"

namespace kernelsmith::memory::bench {

inline constexpr int kHits = 10;

class Engine {
 public:
  virtual ~Engine() = default;
  // The best kHits items for the query of this number, best first.
  virtual std::vector<uint32_t> Search(size_t query) = 0;
};

// Each keeps its files in `folder`, which exists and is empty, and a reference to the workload. An error says what the
// engine said.
using MadeEngine = absl::StatusOr<std::unique_ptr<Engine>>;
MadeEngine MakeOurWords(const Workload& workload, const std::string& folder);
MadeEngine MakeFts5(const Workload& workload, const std::string& folder);
MadeEngine MakeXapian(const Workload& workload, const std::string& folder);

// The vector engines. Ours reads the codes of the nearer lists of a large segment, or scans everything.
MadeEngine MakeOurVectors(const Workload& workload, const std::string& folder, bool scan);
MadeEngine MakeFaissFlat(const Workload& workload);
// The HNSW graph with as little effort a query as reaches `recall` of `exact`.
MadeEngine MakeFaissHnsw(const Workload& workload, const std::vector<std::vector<uint32_t>>& exact, double recall);

// Mean share of the exact answers that was found.
double RecallOf(Engine& engine, const std::vector<std::vector<uint32_t>>& exact);

}  // namespace kernelsmith::memory::bench
