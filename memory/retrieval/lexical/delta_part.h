// A piece in memory: what was added since the last cut. Grows by Add, then is searched and written like any piece.
//
// Not thread-safe by itself: many const calls may run beside each other, none beside Add.
#pragma once

#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "memory/retrieval/lexical/piece.h"
#include "memory/retrieval/lexical/term_arena.h"
#include "memory/retrieval/tokenizer.h"

namespace kernelsmith::memory {

class DeltaPart : public LexicalPiece {
 public:
  explicit DeltaPart(uint32_t first) : LexicalPiece(first) {}

  // Indexes the text as item last(). REQUIRES: not full().
  void Add(absl::string_view text);
  bool full() const { return lengths_.size() >= kMostItemsOfPiece; }

  bool sealed() const override { return false; }
  ItemLengths lengths() const override { return {lengths_, long_lengths_}; }
  int64_t total_length() const override { return total_length_; }
  PostingList Find(absl::string_view term) const override;
  std::unique_ptr<TermCursor> Terms() const override;
  int64_t resident_bytes() const override;
  int64_t mapped_bytes() const override { return 0; }

 private:
  class SortedTerms;

  struct Entry {
    absl::InlinedVector<uint32_t, 4> packed;
    std::vector<ImpactBound> bounds;  // of complete and begun blocks, once there is more than one
  };

  void AddTerm(absl::string_view term, uint32_t item);
  void UpdateBounds(Entry& entry, uint32_t number);
  Posting PostingAt(uint32_t number, uint32_t i) const;
  PostingList ListOf(uint32_t number) const;

  TermArena arena_;
  absl::flat_hash_map<absl::string_view, uint32_t> numbers_;  // of terms, in the order of their first appearance
  std::vector<absl::string_view> terms_;
  std::vector<Entry> entries_;
  absl::flat_hash_map<uint32_t, std::vector<LongNumber>> long_counts_;  // by term number
  std::vector<uint16_t> lengths_;
  std::vector<LongNumber> long_lengths_;
  int64_t total_length_ = 0;
  int64_t list_bytes_ = 0;  // of lists that outgrew their entry

  TermBuffer buffer_;            // of the text that Add indexes
  std::vector<uint32_t> added_;  // its distinct terms
};

}  // namespace kernelsmith::memory
