// Names of the language that every other header needs: bfloat16_t, pipes, event numbers. Qualifiers (__aicore__,
// __gm__, half, GM_ADDR) come from language.h, which the driver includes before everything else.
#pragma once

#include <cstdint>
#include <type_traits>

#include "ks/language.h"

// Internal: functions of constants that host and device code share.
#define KS_BOTH __attribute__((host)) __attribute__((device))

#ifndef __inout_pipe__
#define __inout_pipe__(pipe)
#endif

// Brain floating point: the upper half of a float. No arithmetic, as on the scalar unit.
struct bfloat16_t {
  uint16_t bits;

  bfloat16_t() = default;
  KS_BOTH constexpr explicit bfloat16_t(float value) : bits(Round(__builtin_bit_cast(uint32_t, value))) {}
  KS_BOTH constexpr explicit bfloat16_t(int value) : bfloat16_t(static_cast<float>(value)) {}
  KS_BOTH constexpr explicit bfloat16_t(double value) : bfloat16_t(static_cast<float>(value)) {}
  KS_BOTH constexpr explicit bfloat16_t(half value) : bfloat16_t(static_cast<float>(value)) {}
  KS_BOTH constexpr explicit operator float() const {
    return __builtin_bit_cast(float, static_cast<uint32_t>(bits) << 16);
  }

 private:
  // To nearest, ties to even; a NaN stays a NaN.
  KS_BOTH static constexpr uint16_t Round(uint32_t value) {
    if ((value & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>(value >> 16 | 0x40);
    return static_cast<uint16_t>((value + 0x7fffu + (value >> 16 & 1)) >> 16);
  }
};

enum pipe_t : uint8_t { PIPE_S = 0, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_FIX, PIPE_ALL };

enum event_t : uint8_t {
  EVENT_ID0 = 0,
  EVENT_ID1,
  EVENT_ID2,
  EVENT_ID3,
  EVENT_ID4,
  EVENT_ID5,
  EVENT_ID6,
  EVENT_ID7,
};
