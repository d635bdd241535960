// VectorIndex: the nearest items of a team by the cosine of their vectors.
//
//   VectorIndex index(embedder.id(), embedder.dimensions());
//   RETURN_IF_ERROR(index.Swap(segment));               // at the start: every sealed segment, in order
//   RETURN_IF_ERROR(index.Add(vector));                 // item index.size(); an empty vector: not known yet
//   RETURN_IF_ERROR(index.AddVector(17, vector));       // known now
//   ASSIGN_OR_RETURN(auto hits, index.Search(query, 100, &allowed));       // {item, cosine}, the nearest first
//
// Vectors are kept as int8 (quantised_vector.h); a cosine is that of the quantised vectors. What is sealed lies in
// segments (vector_segment.h), the rest in a delta that every search scans. A scan is exact; the codes of a large
// segment find nearly all (docs/memory-vectors.md has figures). Of equal cosines the later item comes first.
//
// Sealing and merging:
//   const SegmentRows rows = index.Rows(first, last);                      // shared lock
//   ASSIGN_OR_RETURN(auto info, BuildSegment(rows, path, options));        // no lock; minutes for a million
//   ASSIGN_OR_RETURN(auto segment, VectorSegment::Open(path, ...));        // no lock
//   RETURN_IF_ERROR(index.Swap(segment));                                  // exclusive lock
// Vectors that came in between stay in the delta; they are in the next merge.
//
// Threads: const calls may run at the same time; others need the caller's exclusive lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "memory/retrieval/vector/delta_rows.h"
#include "memory/retrieval/vector/segment_rows.h"
#include "memory/retrieval/vector/vector_segment.h"
#include "roaring/roaring.hh"

namespace kernelsmith::memory {

struct VectorHit {
  uint32_t item = 0;
  float cosine = 0;  // -1 to 1
};

class VectorIndex {
 public:
  VectorIndex(std::string embedder_id, int dimensions);

  const std::string& embedder_id() const { return embedder_id_; }
  int dimensions() const { return dimensions_; }
  // Items, with and without vector.
  uint32_t size() const { return size_; }
  // The first item that no segment covers.
  uint32_t sealed() const { return segments_.empty() ? 0 : segments_.back()->last(); }
  // The lag: items whose vector is not known yet.
  size_t without_vector() const { return missing_.cardinality(); }
  // The first `limit` of them from item `from` on.
  std::vector<uint32_t> ItemsWithoutVector(uint32_t from, size_t limit) const;
  // Vectors that every search scans because no segment holds them.
  size_t delta_vectors() const { return delta_.size(); }
  const std::vector<std::shared_ptr<const VectorSegment>>& segments() const { return segments_; }
  size_t memory_bytes() const;

  // Appends item size(). INVALID_ARGUMENT: another dimension, a number that is not finite, or all zero; nothing is
  // appended then.
  absl::Status Add(absl::Span<const float> vector);
  // The vector of an item that has none. As Add; OUT_OF_RANGE: no such item; ALREADY_EXISTS: it has one.
  absl::Status AddVector(uint32_t item, absl::Span<const float> vector);

  // At most `limit` of `allowed` (null: all items). INVALID_ARGUMENT as Add.
  absl::StatusOr<std::vector<VectorHit>> Search(absl::Span<const float> query, size_t limit,
                                                const Roaring* allowed) const;
  // The same by scanning everything: what Search is measured against.
  absl::StatusOr<std::vector<VectorHit>> SearchExact(absl::Span<const float> query, size_t limit,
                                                     const Roaring* allowed) const;

  // The vectors of items [first, last), for BuildSegment. REQUIRES: first <= last <= size(), and no segment is cut in
  // two.
  SegmentRows Rows(uint32_t first, uint32_t last) const;

  // Puts `segment` in the place of every segment in its range and of its part of the delta; one that begins at size()
  // extends the index. FAILED_PRECONDITION: another embedder or dimension, a gap before it, half of another segment in
  // its range, or it lacks a vector that a segment in its range has. Nothing changes then.
  absl::Status Swap(std::shared_ptr<const VectorSegment> segment);

 private:
  absl::StatusOr<std::vector<VectorHit>> Find(absl::Span<const float> query, size_t limit, const Roaring* allowed,
                                              bool exact) const;

  const std::string embedder_id_;
  const int dimensions_;
  uint32_t size_ = 0;
  Roaring missing_;
  std::vector<std::shared_ptr<const VectorSegment>> segments_;  // in order, without gaps, from item 0
  DeltaRows delta_;
};

}  // namespace kernelsmith::memory
