// The exact answer of the hybrid, found by scanning the whole corpus twice without any index of the memory: BM25 over
// every item, the cosine of the unquantised vectors of every item, reciprocal-rank fusion of the best of both. It
// shares with the memory what defines the question (item text, tokenizer, embedder, fusion) and nothing of what answers
// it fast.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "kernelsmith/v1/memory.pb.h"
#include "memory/embedding/embedder.h"
#include "tests/bench/memory/corpus/corpus.h"

namespace kernelsmith::memory::bench {

struct OracleOptions {
  std::string team = "local";
  int64_t attempts = 0;
  int half = 100;  // hits that each half contributes
  int limit = 10;  // items returned
  int threads = 2;
};

// The ids of the best items of each query, best first. `embedder` may be null: words alone.
absl::StatusOr<std::vector<std::vector<std::string>>> ExactHybrid(const Corpus& corpus,
                                                                  const std::vector<v1::RetrieveRequest>& queries,
                                                                  const OracleOptions& options, Embedder* embedder);

// Mean over the queries of the share of the exact answer that was found. Queries without an exact answer do not count.
double Recall(const std::vector<std::vector<std::string>>& exact, const std::vector<std::vector<std::string>>& found);

}  // namespace kernelsmith::memory::bench
