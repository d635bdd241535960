// A fixed 64-bit hash of a number (splitmix64; Steele, Lea and Flood, 2014): the same on every machine.
#pragma once

#include <cstdint>

namespace kernelsmith::memory {

constexpr uint64_t NodeHash(uint64_t number, uint64_t stream) {
  uint64_t x = number + (stream + 1) * 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

}  // namespace kernelsmith::memory
