#include "memory/retrieval/vector/aligned_bytes.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <new>

namespace kernelsmith::memory {
namespace {

constexpr size_t kCacheLine = 64;
constexpr size_t kHugePage = size_t{2} << 20;

size_t RoundUp(size_t size, size_t unit) { return (size + unit - 1) / unit * unit; }

}  // namespace

AlignedBytes::AlignedBytes(size_t size) : size_(size) {
  if (size == 0) return;
  const size_t unit = size >= kHugePage ? kHugePage : kCacheLine;
  void* const block = std::aligned_alloc(unit, RoundUp(size, unit));
  if (block == nullptr) throw std::bad_alloc();
  if (unit == kHugePage) madvise(block, RoundUp(size, unit), MADV_HUGEPAGE);  // a wish; the memory works without
  std::memset(block, 0, RoundUp(size, unit));
  data_ = static_cast<int8_t*>(block);
}

AlignedBytes::~AlignedBytes() { std::free(data_); }

}  // namespace kernelsmith::memory
