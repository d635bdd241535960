// Number formats of the vector unit and the conversions between them, one value at a time.
//
// half is IEEE binary16, bfloat16 the upper half of a float. Rounding modes are those of the API's RoundMode; rules
// from the documentation of Cast ("precision conversion"): overflow to an integer saturates, overflow to half or
// bfloat16 gives infinity unless the core's float saturation flag is on, NaN to an integer gives 0 (undocumented).
//
// Example:
//   uint16_t h = NarrowFloat<5, 10>(1.0f / 3, Rounding::kRint);      // half bits
//   int32_t i = SaturateTo<int32_t>(RoundToInteger(2.5, Rounding::kRint));  // 2
//
// Everything is static: this header is compiled once for every instruction set (lanes.inc), and the copies must not be
// merged by the linker.
#pragma once

#include <cstdint>
#include <cstring>

namespace kernelsmith::emulator::vector {

enum class Rounding : uint8_t { kNone = 0, kRint, kFloor, kCeil, kRound, kTrunc, kOdd };

namespace {

inline uint32_t FloatBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

inline float BitsFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

// Whether the kept part of a magnitude goes up by one unit. `rest` is the part cut off, `half` the weight of its top
// bit.
inline bool RoundsUp(bool negative, uint64_t kept, uint64_t rest, uint64_t half, Rounding mode) {
  switch (mode) {
    case Rounding::kFloor:
      return negative && rest != 0;
    case Rounding::kCeil:
      return !negative && rest != 0;
    case Rounding::kRound:
      return rest >= half;
    case Rounding::kTrunc:
      return false;
    case Rounding::kOdd:
      return rest != 0 && (kept & 1) == 0;
    case Rounding::kNone:
    case Rounding::kRint:
      break;
  }
  return rest > half || (rest == half && (kept & 1) != 0);
}

// float to a format of kExponent and kMantissa bits (at most 23), result in the low bits.
template <int kExponent, int kMantissa>
inline uint32_t NarrowFloat(float value, Rounding mode) {
  constexpr uint32_t kInfinity = ((1u << kExponent) - 1) << kMantissa;
  constexpr int kBias = (1 << (kExponent - 1)) - 1;
  const uint32_t bits = FloatBits(value);
  const uint32_t sign = (bits >> 31) << (kExponent + kMantissa);
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return sign | kInfinity | (1u << (kMantissa - 1));  // NaN
  if (magnitude == 0x7f800000u) return sign | kInfinity;
  if (magnitude == 0) return sign;
  int exponent = static_cast<int>(magnitude >> 23) - 127 + kBias;
  uint64_t mantissa = (magnitude & 0x7fffffu) | (magnitude >> 23 != 0 ? 0x800000u : 0u);
  if (magnitude >> 23 == 0) ++exponent;  // a subnormal float has the exponent of the smallest normal one
  int shift = 23 - kMantissa;
  if (exponent <= 0) {  // subnormal result
    shift += 1 - exponent;
    exponent = 0;
  }
  if (shift > 62) shift = 62;
  const uint64_t kept = mantissa >> shift;
  const uint64_t rest = mantissa & ((uint64_t{1} << shift) - 1);
  const uint64_t half = shift == 0 ? 1 : uint64_t{1} << (shift - 1);
  const uint64_t rounded = kept + (RoundsUp(bits >> 31 != 0, kept, rest, half, mode) ? 1 : 0);
  // A normal `rounded` holds the hidden bit, which adds one to the exponent field; carries do the same.
  const uint64_t result = rounded + (exponent > 0 ? static_cast<uint64_t>(exponent - 1) << kMantissa : 0);
  return sign | (result >= kInfinity ? kInfinity : static_cast<uint32_t>(result));
}

inline uint16_t FloatToHalf(float value, Rounding mode) {
  return static_cast<uint16_t>(NarrowFloat<5, 10>(value, mode));
}

inline uint16_t FloatToBfloat16(float value, Rounding mode) {
  return static_cast<uint16_t>(NarrowFloat<8, 7>(value, mode));
}

inline float HalfToFloat(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t exponent = (half >> 10) & 0x1fu;
  const uint32_t mantissa = half & 0x3ffu;
  if (exponent == 0) return BitsFloat(sign | FloatBits(static_cast<float>(mantissa) * (1.0f / 16777216.0f)));
  if (exponent == 31) return BitsFloat(sign | 0x7f800000u | (mantissa << 13) | (mantissa != 0 ? 0x400000u : 0u));
  return BitsFloat(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

inline float Bfloat16ToFloat(uint16_t value) { return BitsFloat(static_cast<uint32_t>(value) << 16); }

// Integer to float: the nearest 24-bit mantissa of the wanted side.
template <class Integer>
inline float IntegerToFloat(Integer value, Rounding mode) {
  const bool negative = value < 0;
  const uint64_t magnitude =
      negative ? ~static_cast<uint64_t>(static_cast<int64_t>(value)) + 1 : static_cast<uint64_t>(value);
  if (magnitude < (uint64_t{1} << 24)) return negative ? -static_cast<float>(magnitude) : static_cast<float>(magnitude);
  const int shift = 40 - __builtin_clzll(magnitude);  // bits beyond 24
  const uint64_t kept = magnitude >> shift;
  const uint64_t rest = magnitude & ((uint64_t{1} << shift) - 1);
  const bool up = RoundsUp(negative, kept, rest, uint64_t{1} << (shift - 1), mode);
  // 25 bits at most and, where 25, a power of two: exact in float; the scale too.
  const float scaled = static_cast<float>(kept + (up ? 1 : 0)) * BitsFloat(static_cast<uint32_t>(127 + shift) << 23);
  return negative ? -scaled : scaled;
}

// A float rounded to an integral value, still a float.
inline float RoundToIntegral(float x, Rounding mode) {
  switch (mode) {
    case Rounding::kFloor:
      return __builtin_floorf(x);
    case Rounding::kCeil:
      return __builtin_ceilf(x);
    case Rounding::kTrunc:
      return __builtin_truncf(x);
    case Rounding::kRound: {
      const float whole = __builtin_truncf(x);
      return __builtin_fabsf(x - whole) >= 0.5f ? whole + __builtin_copysignf(1.0f, x) : whole;
    }
    case Rounding::kOdd: {
      const float whole = __builtin_truncf(x);
      const bool even = __builtin_truncf(whole * 0.5f) * 2.0f == whole;
      return whole != x && even ? whole + __builtin_copysignf(1.0f, x) : whole;
    }
    case Rounding::kNone:
    case Rounding::kRint:
      break;
  }
  return __builtin_nearbyintf(x);
}

template <class Integer>
struct IntegerLimits {
  static constexpr bool kSigned = static_cast<Integer>(-1) < 0;
  static constexpr int kBits = static_cast<int>(sizeof(Integer) * 8) - (kSigned ? 1 : 0);
  static constexpr Integer kMax = static_cast<Integer>((kBits == 64 ? ~uint64_t{0} : (uint64_t{1} << kBits) - 1));
  static constexpr Integer kMin = kSigned ? static_cast<Integer>(-kMax - 1) : static_cast<Integer>(0);
};

// An integral float to an integer: saturated, or (saturation off) the low bits.
template <class Integer>
inline Integer FloatToInteger(float x, bool saturate) {
  using Limits = IntegerLimits<Integer>;
  if (x != x) return 0;
  const float upper = Limits::kBits == 63
                          ? 9223372036854775808.0f
                          : static_cast<float>(static_cast<double>(uint64_t{1} << (Limits::kBits % 64)));
  const float lower = Limits::kSigned ? -upper : 0.0f;
  if (x >= upper || x < lower) {
    if (saturate) return x > 0 ? Limits::kMax : Limits::kMin;
    if (!(__builtin_fabsf(x) < 9223372036854775808.0f)) return 0;
    return static_cast<Integer>(static_cast<int64_t>(x));
  }
  return static_cast<Integer>(static_cast<int64_t>(x));
}

template <class To, class From>
inline To NarrowInteger(From value, bool saturate) {
  using Limits = IntegerLimits<To>;
  if (saturate) {
    if (value > static_cast<From>(Limits::kMax)) return Limits::kMax;
    if (value < static_cast<From>(Limits::kMin)) return Limits::kMin;
  }
  return static_cast<To>(value);
}

}  // namespace
}  // namespace kernelsmith::emulator::vector
