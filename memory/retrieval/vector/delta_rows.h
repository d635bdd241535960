// DeltaRows: the vectors that no segment holds yet, scanned by every search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "memory/retrieval/vector/quantised_vector.h"
#include "memory/retrieval/vector/row_table.h"
#include "memory/retrieval/vector/top_hits.h"
#include "roaring/roaring.hh"

namespace kernelsmith::memory {

class DeltaRows {
 public:
  explicit DeltaRows(size_t stride) : stride_(stride) {}

  size_t size() const { return items_.size(); }
  size_t memory_bytes() const;

  // REQUIRES: the item is not in it. Throws std::bad_alloc.
  void Add(uint32_t item, const QuantisedVector& vector);
  void Scan(const QuantisedVector& query, const Roaring* allowed, TopHits& hits) const;
  // Appends the rows of items [first, last).
  void CopyTo(uint32_t first, uint32_t last, std::vector<uint32_t>& items, RowTable& rows) const;
  // Removes the rows of the items that `covered` names.
  void Remove(const std::function<bool(uint32_t item)>& covered);

 private:
  static constexpr size_t kBlock = 1024;  // rows; growing moves none of them

  const int8_t* RowOf(size_t i) const { return blocks_[i / kBlock].row(i % kBlock); }

  size_t stride_;
  std::vector<uint32_t> items_;
  std::vector<RowTable> blocks_;
};

}  // namespace kernelsmith::memory
