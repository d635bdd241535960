#include "memory/retrieval/vector/row_table.h"

#include <utility>

#include "memory/retrieval/vector/quantised_vector.h"

namespace kernelsmith::memory {

RowTable::RowTable(size_t stride, AlignedBytes rows)
    : stride_(stride), capacity_(rows.size() / stride), bytes_(std::move(rows)) {
  inverse_lengths_.reserve(capacity_);
  for (size_t i = 0; i < capacity_; ++i) inverse_lengths_.push_back(InverseLength(row(i), stride_));
}

}  // namespace kernelsmith::memory
