// The search index of one team: words and vectors over the same item numbers, fused by reciprocal rank.
//
//   ASSIGN_OR_RETURN(auto index, SearchIndex::Open({.folder = folder, .embedder_id = embedder->id(), .dimensions =
//   384})); RETURN_IF_ERROR(index->Add({text}, {vector}));                       // item number index->indexed() const
//   SearchOutcome found = index->Search({.text = "row softmax", .vector = &vector, .limit = 100});
//   RETURN_IF_ERROR(index->Seal(SealScope::kDue, {}).status());          // what is in memory goes into files
//
// Sealed segments are files named by a manifest; what is behind them is in memory and lost at a crash: the owner adds
// the items from indexed() on again. A segment that cannot be read is dropped with those behind it, and problems() says
// so; the fact log is the truth, an index never is.
//
// Thread-safe. Add and AddVectors come from one thread at a time, Seal from one thread at a time (it may be another):
// files are written without a lock held.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <roaring/roaring.hh>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "memory/embedding/embedder.h"
#include "memory/graph/shared_mutex.h"
#include "memory/retrieval/fusion.h"
#include "memory/retrieval/lexical/lexical_index.h"
#include "memory/retrieval/search/index_manifest.h"
#include "memory/retrieval/search/side_thread.h"
#include "memory/retrieval/vector/vector_index.h"

namespace kernelsmith::memory {

struct SearchRequest {
  absl::string_view text;
  const Vector* vector = nullptr;    // of the text; null: words alone
  const Roaring* allowed = nullptr;  // null: every item
  int limit = 100;                   // of each half
  int kept = 0;                      // best hits of the union that are returned; 0: all of it
  bool exact = false;                // scan all vectors, to measure recall
};

struct SearchOutcome {
  std::vector<FusedHit> hits;  // best first
  LexicalResult words;         // of the lexical half
  // Terms of the query that the hit's item holds, the rarest first.
  std::vector<std::string> TermsOf(const FusedHit& hit) const;
};

enum class SealScope {
  kDue,  // what is not sealed, and small neighbours
  kAll,  // everything into one segment
};

struct SealOptions {
  int threads = 1;
  std::function<bool()> cancelled;  // may be empty
  int64_t now_unix_us = 0;
};

struct SearchStatistics {
  int64_t indexed = 0;         // items
  int64_t unsealed = 0;        // of them, in memory
  int64_t without_vector = 0;  // not embedded yet
  int64_t segments = 0;        // lexical
  int64_t memory_bytes = 0;
  int64_t file_bytes = 0;
};

class SearchIndex {
 public:
  struct Options {
    std::string folder;       // created if missing
    std::string embedder_id;  // empty: words alone
    int dimensions = 0;
  };

  // FAILED_PRECONDITION if a newer program wrote the folder; otherwise errors of the file system. What is damaged is
  // not an error: see problems().
  static absl::StatusOr<std::unique_ptr<SearchIndex>> Open(Options options);

  // What had to be dropped at Open, one sentence each.
  const std::vector<std::string>& problems() const { return problems_; }

  uint32_t indexed() const;

  // Adds items from indexed() on. `vectors` has one for each text, or is empty: not known yet.
  absl::Status Add(absl::Span<const absl::string_view> texts, absl::Span<const Vector> vectors);

  // Items that have no vector yet, from `from` on, and their vectors once they are known.
  std::vector<uint32_t> WithoutVector(uint32_t from, size_t limit) const;
  absl::Status AddVectors(absl::Span<const uint32_t> items, absl::Span<const Vector> vectors);

  SearchOutcome Search(const SearchRequest& request) const;

  // Returns the items of the new segment, 0 if there was nothing to do. CANCELLED if `cancelled` said so.
  absl::StatusOr<int64_t> Seal(SealScope scope, const SealOptions& options);

  SearchStatistics Statistics() const;

  // What is indexed, whatever its split into segments.
  std::string Fingerprint() const;

 private:
  explicit SearchIndex(Options options) : options_(std::move(options)) {}
  absl::Status OpenSegments();
  bool has_vectors() const { return !options_.embedder_id.empty(); }
  std::string PathOf(const std::string& file) const;

  const Options options_;
  std::vector<std::string> problems_;
  mutable SharedMutex mutex_;
  LexicalIndex lexical_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<VectorIndex> vectors_ ABSL_GUARDED_BY(mutex_);  // null without an embedder
  IndexManifest manifest_;                                        // touched by Open and Seal only
  mutable SideThread side_;                                       // takes the vector half of a search of many items
};

}  // namespace kernelsmith::memory
