#include "memory/retrieval/vector/quantised_vector.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace kernelsmith::memory {

float InverseLength(const int8_t* row, size_t stride) {
  const int32_t square = Dot(row, row, stride);
  return square == 0 ? 0.0F : static_cast<float>(1.0 / std::sqrt(static_cast<double>(square)));
}

absl::StatusOr<QuantisedVector> QuantisedVector::From(absl::Span<const float> vector, int dimensions) {
  if (vector.size() != static_cast<size_t>(dimensions)) {
    return absl::InvalidArgumentError(absl::StrCat("vector has ", vector.size(),
                                                   " numbers, the index holds vectors of ", dimensions,
                                                   "; use the index's embedder"));
  }
  float greatest = 0;
  for (const float number : vector) {
    if (!std::isfinite(number)) return absl::InvalidArgumentError("vector holds a number that is not finite");
    greatest = std::max(greatest, std::abs(number));
  }
  if (greatest == 0) return absl::InvalidArgumentError("vector is all zero: it has no direction");
  QuantisedVector out(RowStride(dimensions));
  for (size_t i = 0; i < vector.size(); ++i) {
    out.row_.data()[i] = static_cast<int8_t>(std::lround(127.0 * (static_cast<double>(vector[i]) / greatest)));
  }
  out.inverse_length_ = InverseLength(out.row(), out.stride());
  return out;
}

}  // namespace kernelsmith::memory
