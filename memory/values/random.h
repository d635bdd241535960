// A small seeded generator whose numbers are the same on every platform: splitmix64 and integer arithmetic. Exploration
// and random residents take it, so that a recorded seed gives the same choice again.
//
//   SeededRandom random(42);
//   random.Below(10);      // 0 to 9
//   random.Chance(0.1);    // true once in ten
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"

namespace kernelsmith::memory {

class SeededRandom {
 public:
  explicit SeededRandom(uint64_t seed) : state_(seed) {}

  // 64 random bits: splitmix64 (Steele, Lea and Flood 2014).
  uint64_t Next();

  // Uniform over 0 to bound - 1, without bias. REQUIRES: bound > 0.
  uint64_t Below(uint64_t bound);

  // True with probability p, compared in 53 bits. Always draws once, so that the sequence does not depend on p.
  bool Chance(double p);

 private:
  uint64_t state_;
};

// A seed from ids, for callers that give none: never 0. FNV-1a over the bytes of both with a break between them, mixed.
uint64_t SeedFrom(absl::string_view a, absl::string_view b);

}  // namespace kernelsmith::memory
