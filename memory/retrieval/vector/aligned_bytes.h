// AlignedBytes: a zeroed block of memory, aligned to cache lines; in huge pages, where the system gives them, once it
// is large. (A search reads rows at random: with small pages most reads would also walk the page table.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace kernelsmith::memory {

class AlignedBytes {
 public:
  AlignedBytes() = default;
  // Throws std::bad_alloc.
  explicit AlignedBytes(size_t size);
  AlignedBytes(AlignedBytes&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  AlignedBytes& operator=(AlignedBytes&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~AlignedBytes();

  int8_t* data() { return data_; }
  const int8_t* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  int8_t* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace kernelsmith::memory
