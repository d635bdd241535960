// std::lower_bound without branches that a processor cannot foresee: searches of random items in short arrays.
#pragma once

#include <cstdint>

namespace kernelsmith::memory {

// The first of values[0, count) that is not below `least`, or `count`.
template <typename T>
uint32_t LowerBound(const T* values, uint32_t count, uint32_t least) {
  if (count == 0) return 0;
  const T* base = values;
  while (count > 1) {
    const uint32_t half = count / 2;
    base = base[half - 1] < least ? base + half : base;
    count -= half;
  }
  return static_cast<uint32_t>(base - values) + (*base < least ? 1 : 0);
}

}  // namespace kernelsmith::memory
