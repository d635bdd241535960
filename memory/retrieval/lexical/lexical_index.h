// The lexical half of search over the items of one team, numbered 0, 1, 2, ... in the order of Add.
//
// An index is a row of pieces without gap: segments (immutable files, memory-mapped) and parts of the delta (in
// memory). Idf, number of items and average length are those of all pieces together, and every item's score is summed
// in one order of terms, so the answer does not depend on how the items are split: it equals an exhaustive BM25 scan
// bit for bit (bm25.h has the formula).
//
//   LexicalIndex index;
//   index.Add("softmax: rows reduced twice");
//   const LexicalResult found = index.Search("row softmax", 100, nullptr);
//   found.hits[0].item;  found.TermsOf(found.hits[0]);
//
// Sealing, with an exclusive lock only for the two short steps:
//
//   exclusive:  const LexicalPieces parts = index.CutDelta();          // new items go to a new part
//   no lock:    RETURN_IF_ERROR(WriteSegment(parts, path));            // segment_writer.h
//               ASSIGN_OR_RETURN(auto segment, LexicalSegment::Open(path));
//   exclusive:  ASSIGN_OR_RETURN(LexicalPieces replaced, index.Adopt(segment));
//   no lock:    replaced.clear();                                      // frees the memory
//
// Merging is the same with neighbours out of Pieces() in place of CutDelta(); starting is Adopt of each segment in
// order, then Add of the items behind them. SegmentBuilder (segment_builder.h) writes a segment from texts.
//
// Not thread-safe by itself: many const calls may run beside each other, none beside Add, CutDelta or Adopt. Pieces
// are immutable (parts once they are cut) and may be read outside the lock.
#pragma once

#include <cstdint>
#include <memory>
#include <roaring/roaring.hh>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "memory/retrieval/lexical/piece.h"
#include "memory/retrieval/lexical/query_term.h"
#include "memory/retrieval/lexical/segment.h"

namespace kernelsmith::memory {

class DeltaPart;

struct LexicalMatch {
  uint32_t item = 0;
  double score = 0;    // s > 0
  uint64_t terms = 0;  // bit i: the item holds LexicalResult::terms[i]
};

struct LexicalResult {
  std::vector<LexicalMatch> hits;  // by falling score; equal scores: the later item first
  std::vector<std::string> terms;  // distinct terms of the query that some item holds, the rarest first; at most 64
  int unused_terms = 0;            // terms held by items that had no place among the 64: the most frequent ones

  // Terms that the hit's item holds, the rarest first.
  std::vector<std::string> TermsOf(const LexicalMatch& hit) const;
};

// A result whose hits do not know their terms yet.
struct LexicalFinding {
  LexicalResult result;
  std::vector<QueryTerm> terms;  // as result.terms, with their lists
};

struct LexicalStatistics {
  int64_t items = 0;
  int64_t delta_items = 0;  // items that are in no segment
  int64_t segments = 0;
  int64_t resident_bytes = 0;  // heap of the delta and of the segments' tables
  int64_t mapped_bytes = 0;    // segment files
};

class LexicalIndex {
 public:
  LexicalIndex();
  ~LexicalIndex();
  LexicalIndex(LexicalIndex&&) noexcept;
  LexicalIndex& operator=(LexicalIndex&&) noexcept;

  // Indexes the text of item number size().
  void Add(absl::string_view text);

  // The `limit` best items that share a term with the query and that `allowed` holds (null: all).
  LexicalResult Search(absl::string_view query, int limit, const Roaring* allowed) const;

  // The same in two steps, for a caller who shows few of the hits. REQUIRES: nothing was added in between.
  LexicalFinding Find(absl::string_view query, int limit, const Roaring* allowed) const;
  void FillTerms(const LexicalFinding& found, LexicalMatch& hit) const;

  uint32_t size() const { return size_; }

  // All pieces in the order of their items, for merging and metrics. The last part of the delta is left out while
  // items may still be added to it.
  LexicalPieces Pieces() const;

  // Closes the open part of the delta and gives all parts that are in no segment, in order; empty if there are none.
  LexicalPieces CutDelta();

  // Puts `segment` in the place of the pieces whose items it covers, or behind the last piece. Gives what it replaced.
  // FAILED_PRECONDITION if its range does not begin and end where pieces do, or leaves a gap.
  absl::StatusOr<LexicalPieces> Adopt(std::shared_ptr<const LexicalSegment> segment);

  LexicalStatistics Statistics() const;

  // What is indexed, as text, for comparing indexes whatever their split: every term with items and counts.
  std::string Fingerprint() const;

 private:
  std::vector<const LexicalPiece*> AllPieces() const;

  LexicalPieces pieces_;             // closed: segments and cut parts
  std::shared_ptr<DeltaPart> open_;  // takes Add; null if nothing came since the cut
  uint32_t size_ = 0;
};

}  // namespace kernelsmith::memory
