#include "memory/retrieval/vector/dot_product.h"

#if defined(__x86_64__)
// GCC 12 takes the undefined registers of its own header for a mistake (bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace kernelsmith::memory {
namespace {

int32_t DotScalar(const int8_t* a, const int8_t* b, size_t stride) {
  int32_t sum = 0;
  for (size_t i = 0; i < stride; ++i) sum += static_cast<int32_t>(a[i]) * static_cast<int32_t>(b[i]);
  return sum;
}

#if defined(__x86_64__)

__attribute__((target("avx2"))) int32_t DotAvx2(const int8_t* a, const int8_t* b, size_t stride) {
  __m256i even = _mm256_setzero_si256();
  __m256i odd = _mm256_setzero_si256();
  for (size_t i = 0; i < stride; i += 32) {
    const auto* const pa = reinterpret_cast<const __m128i*>(a + i);
    const auto* const pb = reinterpret_cast<const __m128i*>(b + i);
    even = _mm256_add_epi32(
        even, _mm256_madd_epi16(_mm256_cvtepi8_epi16(_mm_load_si128(pa)), _mm256_cvtepi8_epi16(_mm_load_si128(pb))));
    odd = _mm256_add_epi32(odd, _mm256_madd_epi16(_mm256_cvtepi8_epi16(_mm_load_si128(pa + 1)),
                                                  _mm256_cvtepi8_epi16(_mm_load_si128(pb + 1))));
  }
  const __m256i sum = _mm256_add_epi32(even, odd);
  __m128i four = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
  four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
  four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0xb1));
  return _mm_cvtsi128_si32(four);
}

__attribute__((target("avx512f"))) inline int32_t Sum16(__m512i v) {
  const __m256i eight = _mm256_add_epi32(_mm512_castsi512_si256(v), _mm512_maskz_extracti64x4_epi64(0xff, v, 1));
  __m128i four = _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
  four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
  four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0xb1));
  return _mm_cvtsi128_si32(four);
}

__attribute__((target("avx512f,avx512bw"))) int32_t DotAvx512(const int8_t* a, const int8_t* b, size_t stride) {
  __m512i even = _mm512_setzero_si512();
  __m512i odd = _mm512_setzero_si512();
  for (size_t i = 0; i < stride; i += 64) {
    const auto* const pa = reinterpret_cast<const __m256i*>(a + i);
    const auto* const pb = reinterpret_cast<const __m256i*>(b + i);
    even = _mm512_add_epi32(even, _mm512_madd_epi16(_mm512_cvtepi8_epi16(_mm256_load_si256(pa)),
                                                    _mm512_cvtepi8_epi16(_mm256_load_si256(pb))));
    odd = _mm512_add_epi32(odd, _mm512_madd_epi16(_mm512_cvtepi8_epi16(_mm256_load_si256(pa + 1)),
                                                  _mm512_cvtepi8_epi16(_mm256_load_si256(pb + 1))));
  }
  return Sum16(_mm512_add_epi32(even, odd));
}

// The instruction multiplies unsigned by signed bytes, so a goes in as a + 128 and 128 times the sum of b comes off.
__attribute__((target("avx512f,avx512bw,avx512vnni"))) int32_t DotVnni(const int8_t* a, const int8_t* b,
                                                                       size_t stride) {
  const __m512i top_bits = _mm512_set1_epi8(static_cast<char>(0x80));
  __m512i shifted = _mm512_setzero_si512();
  __m512i excess = _mm512_setzero_si512();
  for (size_t i = 0; i < stride; i += 64) {
    const __m512i va = _mm512_xor_si512(_mm512_load_si512(a + i), top_bits);
    const __m512i vb = _mm512_load_si512(b + i);
    shifted = _mm512_dpbusd_epi32(shifted, va, vb);
    excess = _mm512_dpbusd_epi32(excess, top_bits, vb);
  }
  return Sum16(_mm512_sub_epi32(shifted, excess));
}

#elif defined(__aarch64__)

int32_t DotNeon(const int8_t* a, const int8_t* b, size_t stride) {
  int32x4_t sum = vdupq_n_s32(0);
  for (size_t i = 0; i < stride; i += 16) {
    const int8x16_t va = vld1q_s8(a + i);
    const int8x16_t vb = vld1q_s8(b + i);
    sum = vpadalq_s16(sum, vmull_s8(vget_low_s8(va), vget_low_s8(vb)));
    sum = vpadalq_s16(sum, vmull_s8(vget_high_s8(va), vget_high_s8(vb)));
  }
  return vaddvq_s32(sum);
}

#endif

}  // namespace

std::vector<DotProductPath> DotProductPaths() {
  std::vector<DotProductPath> paths = {{"scalar", DotScalar}};
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) paths.push_back({"avx2", DotAvx2});
  if (__builtin_cpu_supports("avx512bw")) paths.push_back({"avx512bw", DotAvx512});
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vnni")) {
    paths.push_back({"avx512vnni", DotVnni});
  }
#elif defined(__aarch64__)
  paths.push_back({"neon", DotNeon});
#endif
  return paths;
}

const DotProduct Dot = DotProductPaths().back().function;

}  // namespace kernelsmith::memory
