// A vector as int8: what an index keeps of it and searches with.
//
//   ASSIGN_OR_RETURN(const QuantisedVector query, QuantisedVector::From(vector, 384));
//   cosine = Dot(query.row(), row, query.stride()) * query.inverse_length() * inverse_length_of_row;
//
// Symmetric: the greatest magnitude becomes 127, the others in proportion, rounded half away from zero. The scale of a
// vector does not matter to a cosine, so none is kept; what is kept is the reciprocal length of the quantised row. The
// same numbers on every machine.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "memory/retrieval/vector/aligned_bytes.h"
#include "memory/retrieval/vector/dot_product.h"

namespace kernelsmith::memory {

inline constexpr int kMaxDimensions = 8192;

// 1 / length of a row, in float; 0 for a row of zeros.
float InverseLength(const int8_t* row, size_t stride);

class QuantisedVector {
 public:
  // INVALID_ARGUMENT: not `dimensions` numbers, one that is not finite, or all zero.
  static absl::StatusOr<QuantisedVector> From(absl::Span<const float> vector, int dimensions);

  const int8_t* row() const { return row_.data(); }
  size_t stride() const { return row_.size(); }
  float inverse_length() const { return inverse_length_; }

 private:
  explicit QuantisedVector(size_t stride) : row_(stride) {}

  AlignedBytes row_;
  float inverse_length_ = 0;
};

}  // namespace kernelsmith::memory
