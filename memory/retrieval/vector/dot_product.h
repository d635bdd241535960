// The dot product of two int8 rows: the inner loop of every scan and every step of a graph search.
//
// Exact integer arithmetic, so every instruction set gives the same number. The fastest that the processor has is
// chosen once, when the program starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kernelsmith::memory {

// Rows are padded with zeros to a multiple of this.
inline constexpr size_t kRowAlignment = 64;  // bytes

// Numbers a row takes. REQUIRES: dimensions > 0.
constexpr size_t RowStride(int dimensions) {
  return (static_cast<size_t>(dimensions) + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
}

// REQUIRES: `stride` is a multiple of 64 and at most 65536; both rows are aligned to 64 bytes and hold numbers from
// -127 to 127.
using DotProduct = int32_t (*)(const int8_t* a, const int8_t* b, size_t stride);

// The fastest here.
extern const DotProduct Dot;

struct DotProductPath {
  const char* name;  // "scalar", "avx2", "avx512bw", "avx512vnni", "neon"
  DotProduct function;
};

// Those that run on this processor; "scalar" first, the fastest last.
std::vector<DotProductPath> DotProductPaths();

}  // namespace kernelsmith::memory
