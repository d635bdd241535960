// RowTable: int8 rows one after the other, with the reciprocal length of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "memory/retrieval/vector/aligned_bytes.h"
#include "memory/retrieval/vector/dot_product.h"

namespace kernelsmith::memory {

class RowTable {
 public:
  RowTable() = default;
  // Memory for all rows is taken at once. Throws std::bad_alloc.
  RowTable(size_t stride, size_t capacity) : stride_(stride), capacity_(capacity), bytes_(stride * capacity) {
    inverse_lengths_.reserve(capacity);
  }
  // Takes rows that are there; computes their lengths. REQUIRES: rows.size() is a multiple of stride.
  RowTable(size_t stride, AlignedBytes rows);

  size_t stride() const { return stride_; }
  size_t size() const { return inverse_lengths_.size(); }
  size_t capacity() const { return capacity_; }
  size_t memory_bytes() const { return bytes_.size() + inverse_lengths_.capacity() * sizeof(float); }

  const int8_t* row(size_t i) const { return bytes_.data() + i * stride_; }
  const int8_t* data() const { return bytes_.data(); }
  float inverse_length(size_t i) const { return inverse_lengths_[i]; }
  const std::vector<float>& inverse_lengths() const { return inverse_lengths_; }

  // Orders rows by their cosine with `query`, which it leaves out the length of.
  float Score(const int8_t* query, size_t i) const {
    return static_cast<float>(Dot(query, row(i), stride_)) * inverse_lengths_[i];
  }

  void Prefetch(size_t i) const {
    const int8_t* const begin = row(i);
    for (size_t at = 0; at < stride_; at += kRowAlignment) __builtin_prefetch(begin + at);
    __builtin_prefetch(&inverse_lengths_[i]);
  }

  // REQUIRES: size() < capacity().
  void Append(const int8_t* row, float inverse_length) {
    std::memcpy(bytes_.data() + size() * stride_, row, stride_);
    inverse_lengths_.push_back(inverse_length);
  }

 private:
  size_t stride_ = 0;
  size_t capacity_ = 0;
  AlignedBytes bytes_;
  std::vector<float> inverse_lengths_;
};

}  // namespace kernelsmith::memory
