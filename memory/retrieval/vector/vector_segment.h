// VectorSegment: the vectors of a range of items, sealed in one immutable file (docs/formats.md).
//
//   ASSIGN_OR_RETURN(auto segment, VectorSegment::Open(path, embedder.id(), embedder.dimensions()));
//   TopHits hits(100);
//   segment->Search(query, allowed, hits);
//
// Items with the same quantised vector share one row, a node of the graph. (Among many equal vectors a graph of nearest
// neighbours would be a closed island.)
//
// The file is read whole and checked (magic, version, checksums, every number in it) before anything is used. It is not
// mapped: nothing that happens to it later can hurt a search.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "memory/retrieval/vector/neighbour_graph.h"
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

  uint32_t first() const { return file_.first; }
  uint32_t last() const { return file_.last; }
  const std::string& embedder_id() const { return file_.embedder_id; }
  int dimensions() const { return file_.dimensions; }
  // Hexadecimal SHA-256 of what the file holds; for the manifest.
  const std::string& checksum() const { return file_.checksum; }
  size_t vectors() const { return vectors_; }  // items that have one
  bool has_graph() const { return !file_.graph.empty(); }
  size_t memory_bytes() const;

  // Offers the nearest allowed items; scores are those of Score(). By the graph if there is one and the filter leaves
  // enough, else by a scan of what is allowed.
  void Search(const QuantisedVector& query, const roaring::Roaring* allowed, size_t limit, TopHits& hits) const;
  void SearchExact(const QuantisedVector& query, const roaring::Roaring* allowed, TopHits& hits) const;

  bool HasVector(uint32_t item) const;

  // The row of an item. REQUIRES: HasVector(item).
  const int8_t* RowOf(uint32_t item) const;

 private:
  explicit VectorSegment(SegmentContent file);

  SegmentContent file_;
  size_t vectors_ = 0;
  std::vector<uint32_t> item_begin_;  // of each node, into items_; one more at the end
  std::vector<uint32_t> items_;       // ascending for each node
};

}  // namespace kernelsmith::memory
