// Records attempts of a corpus through gRPC, in an order that keeps predecessors before their successors.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tests/bench/memory/corpus/corpus.h"

namespace kernelsmith::memory::bench {

struct FillOptions {
  std::string address;
  int64_t first = 0;  // attempts [first, last)
  int64_t last = 0;
  int writers = 16;  // connections
  int window = 1;    // calls that a writer has outstanding
  int group = 1;     // attempts a call: 1 is RecordAttempt, more is RecordAttempts
};

struct FillReport {
  int64_t records = 0;  // attempts; each is a case and a journal
  int64_t duplicates = 0;
  absl::Duration elapsed;  // without making the requests, which happens between slabs
  absl::Duration p50;
  absl::Duration p99;
};

// The first refusal, if there is one.
absl::StatusOr<FillReport> Fill(const Corpus& corpus, const FillOptions& options);

}  // namespace kernelsmith::memory::bench
