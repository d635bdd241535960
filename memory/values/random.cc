#include "memory/values/random.h"

namespace kernelsmith::memory {
namespace {

constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;
constexpr uint64_t kFnvBasis = 0xcbf29ce484222325;
constexpr uint64_t kFnvPrime = 0x100000001b3;

uint64_t Mixed(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

uint64_t SeededRandom::Next() {
  state_ += kGolden;
  return Mixed(state_);
}

uint64_t SeededRandom::Below(uint64_t bound) {
  // Draws below 2^64 mod bound would favour small results; they are drawn again.
  const uint64_t reject_below = (0 - bound) % bound;
  for (;;) {
    const uint64_t draw = Next();
    if (draw >= reject_below) return draw % bound;
  }
}

bool SeededRandom::Chance(double p) {
  constexpr double kUnit = 1.0 / 9007199254740992.0;  // 2^-53: both factors are exact
  return static_cast<double>(Next() >> 11) * kUnit < p;
}

uint64_t SeedFrom(absl::string_view a, absl::string_view b) {
  uint64_t hash = kFnvBasis;
  const auto add = [&hash](absl::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kFnvPrime;
    hash = (hash ^ 0x1ff) * kFnvPrime;  // no byte has this value
  };
  add(a);
  add(b);
  const uint64_t seed = Mixed(hash);
  return seed == 0 ? 1 : seed;
}

}  // namespace kernelsmith::memory
