// Copies on the host that know how large their target is, as kernel sources expect them without asking: the names of
// C11's annex K. 0 when done; else nothing was written and the result says why.
//
// Example:
//   memcpy_s(&tiling, sizeof tiling, data, bytes);   // 34 (ERANGE) if bytes > sizeof tiling
#pragma once

#include <cstddef>
#include <cstring>

#ifndef EOK
#define EOK 0
#endif

typedef int errno_t;

namespace ks {

inline constexpr errno_t kNoMemory = 22;  // EINVAL
inline constexpr errno_t kTooLong = 34;   // ERANGE

}  // namespace ks

inline errno_t memcpy_s(void* dest, size_t destMax, const void* src, size_t count) {
  if (dest == nullptr || src == nullptr) return ks::kNoMemory;
  if (count > destMax) return ks::kTooLong;
  std::memcpy(dest, src, count);
  return EOK;
}

inline errno_t memset_s(void* dest, size_t destMax, int c, size_t count) {
  if (dest == nullptr) return ks::kNoMemory;
  if (count > destMax) return ks::kTooLong;
  std::memset(dest, c, count);
  return EOK;
}
