// The words of Ascend C that are no names of a library: qualifiers, element types, pipes and event numbers. The
// compiler driver may define a qualifier itself; what it defines stays.
//
// Example:
//   __global__ __vector__ void Add(GM_ADDR x, GM_ADDR y, uint32_t n);
#pragma once

#include <cstdint>
#include <type_traits>

#ifndef __aicore__
#define __aicore__ __attribute__((device))
#endif
#ifndef __global__
#define __global__ __attribute__((global))
#endif
#ifndef __vector__
#define __vector__ __attribute__((section(".text.ks.aiv")))
#endif
#ifndef __cube__
#define __cube__ __attribute__((section(".text.ks.aic")))
#endif
#ifndef __mix__
#define __mix__(cube_cores, vector_cores) __attribute__((section(".text.ks.mix_" #cube_cores "_" #vector_cores)))
#endif
#ifndef __gm__
#define __gm__
#endif
#ifndef __ubuf__
#define __ubuf__
#endif
#ifndef __cbuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#endif
#ifndef __inout_pipe__
#define __inout_pipe__(pipe)
#endif
#ifndef __schedmode__
#define __schedmode__(mode)
#endif

// Internal: functions of constants that host and device code share.
#define KS_BOTH __attribute__((host)) __attribute__((device))

using GM_ADDR = __gm__ uint8_t*;
using half = _Float16;

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

enum pipe_t : uint8_t {
  PIPE_S = 0,
  PIPE_V,
  PIPE_M,
  PIPE_MTE1,
  PIPE_MTE2,
  PIPE_MTE3,
  PIPE_FIX,
  PIPE_ALL,
};

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
