// Queries of a corpus through gRPC: latency, throughput, contexts, and the ids that were found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tests/bench/memory/corpus/queries.h"

namespace kernelsmith::memory::bench {

struct SearchOptions {
  std::string address;
  int64_t attempts = 0;     // that the server holds
  int64_t first_query = 0;  // number of the first query; runs that should not meet warm caches take other ones
  int64_t queries = 1000;
  size_t terms = kQueryTerms;  // of a query, at least
  int clients = 1;             // each waits for its reply
  bool brief = false;          // items without case, journal and code
  std::string preset;          // policy; empty means the server's default
  bool filters = true;         // as the queries have them
  bool keep_ids = false;       // fill SearchReport::ids
  std::string run;             // MakeContexts: sets its attempt ids apart from those of other runs
};

struct SearchReport {
  absl::Duration elapsed;
  absl::Duration p50;
  absl::Duration p99;
  double per_second = 0;
  int64_t lexical_only = 0;                   // replies without the vector half
  std::vector<std::vector<std::string>> ids;  // of each query, best first
};

// The first refusal, if there is one.
absl::StatusOr<SearchReport> Search(const Corpus& corpus, const SearchOptions& options);
// AssembleContext: retrieves, packs and records.
absl::StatusOr<SearchReport> MakeContexts(const Corpus& corpus, const SearchOptions& options);

}  // namespace kernelsmith::memory::bench
