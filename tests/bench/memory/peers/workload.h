// What every engine gets alike: the texts of the corpus' items as streams of terms, their vectors, and the queries.
//
// Terms are the memory's own (retrieval/tokenizer.h), each replaced by a word of letters and digits that every engine's
// tokenizer keeps whole ("w7f3"). So all engines hold the same postings, whatever they would do with "DataCopyPad" or
// Chinese text.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "memory/embedding/embedder.h"

namespace kernelsmith::memory::bench {

struct Workload {
  std::vector<std::string> texts;  // of each item, as the memory indexes it
  std::vector<std::string> words;  // of each item, its terms as words with a blank between
  std::vector<Vector> vectors;     // of each item; empty if not asked for

  std::vector<std::string> query_texts;
  std::vector<std::vector<std::string>> query_words;  // distinct
  std::vector<Vector> query_vectors;
};

struct WorkloadOptions {
  uint64_t seed = 1;
  int64_t items = 100'000;
  int64_t queries = 300;
  bool vectors = true;
};

absl::StatusOr<Workload> MakeWorkload(const WorkloadOptions& options);

// The best items of every query by an exhaustive BM25 (k1 = 1.2, b = 0.75), best first.
std::vector<std::vector<uint32_t>> ExactWords(const Workload& workload, size_t limit);
// By the cosine of the unquantised vectors.
std::vector<std::vector<uint32_t>> ExactVectors(const Workload& workload, size_t limit);

}  // namespace kernelsmith::memory::bench
