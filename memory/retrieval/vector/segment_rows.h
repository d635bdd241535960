// SegmentRows: the vectors of a range of items, held apart from the index, so that a segment is built outside its lock.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "memory/retrieval/vector/row_table.h"

namespace kernelsmith::memory {

class VectorSegment;

struct SegmentRows {
  std::string embedder_id;
  int dimensions = 0;
  uint32_t first = 0;  // items [first, last)
  uint32_t last = 0;
  std::vector<std::shared_ptr<const VectorSegment>> segments;  // in the range, to be merged
  std::vector<uint32_t> items;                                 // with a vector, in the range and in no segment
  RowTable rows;                                               // of `items`, in their order
};

}  // namespace kernelsmith::memory
