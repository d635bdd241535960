// Conversions of half-precision values to float, exact for every bit pattern. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kernelsmith::worker {

// IEEE 754 binary16, subnormals, infinities and NaN included.
float FloatFromFp16(uint16_t bits);
// bfloat16: the upper half of a binary32.
float FloatFromBf16(uint16_t bits);

// `count` values at once; source need not be aligned.
void FloatsFromFp16(const std::byte* source, size_t count, float* target);
void FloatsFromBf16(const std::byte* source, size_t count, float* target);

// Nearest, ties to even. For tests and for making inputs.
uint16_t Fp16FromFloat(float value);
uint16_t Bf16FromFloat(float value);

}  // namespace kernelsmith::worker
