#include "worker/verification/half.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

namespace kernelsmith::worker {
namespace {

float Decode(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1fu;
  const uint32_t fraction = bits & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13));
  if (exponent == 0) {
    const float magnitude = std::ldexp(static_cast<float>(fraction), -24);
    return sign != 0 ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
}

const std::vector<float>& Table() {
  static const auto* table = [] {
    auto* values = new std::vector<float>(65536);
    for (uint32_t bits = 0; bits < 65536; ++bits) (*values)[bits] = Decode(static_cast<uint16_t>(bits));
    return values;
  }();
  return *table;
}

}  // namespace

float FloatFromFp16(uint16_t bits) { return Decode(bits); }

float FloatFromBf16(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

void FloatsFromFp16(const std::byte* source, size_t count, float* target) {
  const float* table = Table().data();
  for (size_t i = 0; i < count; ++i) {
    uint16_t bits;
    std::memcpy(&bits, source + 2 * i, 2);
    target[i] = table[bits];
  }
}

void FloatsFromBf16(const std::byte* source, size_t count, float* target) {
  for (size_t i = 0; i < count; ++i) {
    uint16_t bits;
    std::memcpy(&bits, source + 2 * i, 2);
    target[i] = FloatFromBf16(bits);
  }
}

uint16_t Fp16FromFloat(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  if (std::isnan(value)) return static_cast<uint16_t>(sign | 0x7e00u);
  const float magnitude = std::fabs(value);
  if (magnitude >= 65520.0f) return static_cast<uint16_t>(sign | 0x7c00u);
  if (magnitude < 6.103515625e-05f) {  // subnormal: steps of 2^-24
    return static_cast<uint16_t>(sign | static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, 24))));
  }
  const uint32_t absolute = bits & 0x7fffffffu;
  const uint32_t rounded = absolute + 0xfffu + ((absolute >> 13) & 1u);
  return static_cast<uint16_t>(sign | ((rounded - (112u << 23)) >> 13));
}

uint16_t Bf16FromFloat(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace kernelsmith::worker
