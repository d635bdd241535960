// VectorSegment: the vectors of a range of items, sealed in one immutable file (docs/formats.md).
//
//   ASSIGN_OR_RETURN(auto segment, VectorSegment::Open(path, embedder.id(), embedder.dimensions()));
//   TopHits hits(100);
//   segment->Search(query, allowed, hits);
//
// Items with the same quantised vector share a row. A large segment has codes (scan_codes.h), by which a search reads
// little of it; a small one is scanned.
//
// The file is read whole and checked (magic, version, checksum, every number in it) before anything is used. It is not
// mapped: nothing that happens to it later can hurt a search.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "memory/retrieval/vector/quantised_vector.h"
#include "memory/retrieval/vector/segment_file.h"
#include "memory/retrieval/vector/top_hits.h"
#include "roaring/roaring.hh"

namespace kernelsmith::memory {

// Thread-safe: nothing changes after Open.
class VectorSegment {
 public:
  // NOT_FOUND: no such file. DATA_LOSS: damaged or cut off; delete it and build it anew. FAILED_PRECONDITION: a newer
  // format, or vectors of another embedder.
  static absl::StatusOr<std::shared_ptr<const VectorSegment>> Open(const std::string& path,
                                                                   absl::string_view embedder_id, int dimensions);

  uint32_t first() const { return content_.first; }
  uint32_t last() const { return content_.last; }
  const std::string& embedder_id() const { return content_.embedder_id; }
  int dimensions() const { return content_.dimensions; }
  // Hexadecimal SHA-256 of what the file holds; for the manifest.
  const std::string& checksum() const { return content_.checksum; }
  size_t vectors() const { return items_.size(); }      // items that have one
  size_t rows() const { return content_.rows.size(); }  // different ones
  bool has_codes() const { return !content_.codes.empty(); }
  size_t memory_bytes() const;

  bool HasVector(uint32_t item) const {
    return item >= first() && item < last() && content_.row_of[item - first()] != kNoRow;
  }
  // REQUIRES: HasVector(item).
  const int8_t* RowOf(uint32_t item) const { return content_.rows.row(content_.row_of[item - first()]); }
  float InverseLengthOf(uint32_t item) const { return content_.rows.inverse_length(content_.row_of[item - first()]); }

  // Offers the `limit` nearest of the allowed items (null: all), nearly all of them right if there are codes and the
  // filter leaves many, else exactly.
  void Search(const QuantisedVector& query, const Roaring* allowed, size_t limit, TopHits& hits) const;
  void SearchExact(const QuantisedVector& query, const Roaring* allowed, TopHits& hits) const;

 private:
  explicit VectorSegment(SegmentContent content);

  // Bit by row: an item of it is allowed.
  std::vector<uint64_t> AllowedRows(const Roaring& allowed) const;
  // The same of one row.
  bool IsAllowed(uint32_t row, const Roaring& allowed) const;
  // Offers the row's allowed items.
  void OfferRow(uint32_t row, float score, const Roaring* allowed, TopHits& hits) const;
  void ScanItems(const QuantisedVector& query, const Roaring& allowed, TopHits& hits) const;

  SegmentContent content_;
  std::vector<uint32_t> blocks_;      // where the codes of each list begin
  std::vector<uint32_t> item_begin_;  // of each row, into items_; one more at the end
  std::vector<uint32_t> items_;       // of a row, ascending
};

}  // namespace kernelsmith::memory
