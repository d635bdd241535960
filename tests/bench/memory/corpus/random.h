// Random draws that are a function of a seed and a place, so that any record of a corpus is made without the others.
//
//   Random random(seed, session, step);
//   int row = random.Below(10);
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kernelsmith::memory::bench {

// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
inline uint64_t Mix(uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

class Random {
 public:
  explicit Random(uint64_t seed, uint64_t a = 0, uint64_t b = 0) : state_(Mix(Mix(Mix(seed) ^ a) ^ b)) {}

  uint64_t Next() { return Mix(state_ += 0x9e3779b97f4a7c15U); }
  // 0 to count - 1. REQUIRES: 0 < count < 2^32.
  size_t Below(size_t count) { return ((Next() >> 32) * count) >> 32; }
  // In [0, 1).
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1p-53; }
  bool Chance(double probability) { return Unit() < probability; }

  // REQUIRES: the range is not empty.
  template <typename Range>
  const auto& Pick(const Range& range) {
    return range[Below(std::size(range))];
  }

 private:
  uint64_t state_;
};

// Draws 0 to count - 1 with probability proportional to 1/(k + 1)^exponent.
class Zipf {
 public:
  Zipf(size_t count, double exponent) {
    double sum = 0;
    for (size_t k = 0; k < count; ++k) cumulative_.push_back(sum += std::pow(static_cast<double>(k + 1), -exponent));
  }
  size_t Draw(Random& random) const {
    const double at = random.Unit() * cumulative_.back();
    size_t low = 0;
    for (size_t high = cumulative_.size() - 1; low < high;) {
      const size_t middle = (low + high) / 2;
      if (cumulative_[middle] > at) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

 private:
  std::vector<double> cumulative_;
};

}  // namespace kernelsmith::memory::bench
