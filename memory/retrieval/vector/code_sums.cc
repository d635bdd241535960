#include "memory/retrieval/vector/code_sums.h"

#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace kernelsmith::memory {
namespace {

uint64_t SumScalar(const uint8_t* block, const uint8_t* table, size_t groups, int threshold, uint16_t* sums) {
  std::fill(sums, sums + kBlockRows, uint16_t{0});
  for (size_t group = 0; group < groups; group += 2, block += kBlockRows, table += 2 * kBlockRows) {
    for (size_t r = 0; r < kBlockRows; ++r) {
      sums[r] = static_cast<uint16_t>(sums[r] + table[block[r] & 15] + table[kBlockRows + (block[r] >> 4)]);
    }
  }
  uint64_t greater = 0;
  for (size_t r = 0; r < kBlockRows; ++r) greater |= uint64_t{sums[r] > threshold} << r;
  return greater;
}

#if defined(__x86_64__)

// `all` adds bytes in pairs as 16-bit numbers, `odd` the upper byte of each pair; the lower is what is left of `all`.
__attribute__((target("avx2"))) uint64_t SumAvx2(const uint8_t* block, const uint8_t* table, size_t groups,
                                                 int threshold, uint16_t* sums) {
  const __m256i limit = _mm256_set1_epi16(static_cast<int16_t>(threshold));
  uint64_t greater = 0;
  const __m256i low_bits = _mm256_set1_epi8(15);
  for (size_t half = 0; half < kBlockRows; half += 32) {
    __m256i all = _mm256_setzero_si256();
    __m256i odd = _mm256_setzero_si256();
    for (size_t group = 0; group < groups; group += 2) {
      const auto* const entries = reinterpret_cast<const __m256i*>(table + group * kBlockRows);
      const __m256i codes = _mm256_load_si256(reinterpret_cast<const __m256i*>(block + group / 2 * kBlockRows + half));
      const __m256i first = _mm256_shuffle_epi8(_mm256_load_si256(entries), _mm256_and_si256(codes, low_bits));
      const __m256i second =
          _mm256_shuffle_epi8(_mm256_load_si256(entries + 2), _mm256_and_si256(_mm256_srli_epi16(codes, 4), low_bits));
      const __m256i both = _mm256_add_epi8(first, second);
      all = _mm256_add_epi16(all, both);
      odd = _mm256_add_epi16(odd, _mm256_srli_epi16(both, 8));
    }
    const __m256i even = _mm256_sub_epi16(all, _mm256_slli_epi16(odd, 8));
    const __m256i low = _mm256_unpacklo_epi16(even, odd);
    const __m256i high = _mm256_unpackhi_epi16(even, odd);
    const __m256i front = _mm256_permute2x128_si256(low, high, 0x20);
    const __m256i back = _mm256_permute2x128_si256(low, high, 0x31);
    auto* const out = reinterpret_cast<__m256i*>(sums + half);
    _mm256_store_si256(out, front);
    _mm256_store_si256(out + 1, back);
    // Packing takes 64 bits of each in turn.
    const __m256i packed = _mm256_permute4x64_epi64(
        _mm256_packs_epi16(_mm256_cmpgt_epi16(front, limit), _mm256_cmpgt_epi16(back, limit)), 0xd8);
    greater |= uint64_t{static_cast<uint32_t>(_mm256_movemask_epi8(packed))} << half;
  }
  return greater;
}

__attribute__((target("avx512f,avx512bw"))) uint64_t SumAvx512(const uint8_t* block, const uint8_t* table,
                                                               size_t groups, int threshold, uint16_t* sums) {
  const __m512i low_bits = _mm512_set1_epi8(15);
  __m512i all = _mm512_setzero_si512();
  __m512i odd = _mm512_setzero_si512();
  for (size_t group = 0; group < groups; group += 2, block += kBlockRows, table += 2 * kBlockRows) {
    const __m512i codes = _mm512_load_si512(block);
    const __m512i first = _mm512_shuffle_epi8(_mm512_load_si512(table), _mm512_and_si512(codes, low_bits));
    const __m512i second = _mm512_shuffle_epi8(_mm512_load_si512(table + kBlockRows),
                                               _mm512_and_si512(_mm512_srli_epi16(codes, 4), low_bits));
    const __m512i both = _mm512_add_epi8(first, second);
    all = _mm512_add_epi16(all, both);
    odd = _mm512_add_epi16(odd, _mm512_srli_epi16(both, 8));
  }
  const __m512i even = _mm512_sub_epi16(all, _mm512_slli_epi16(odd, 8));
  const __m512i low = _mm512_unpacklo_epi16(even, odd);
  const __m512i high = _mm512_unpackhi_epi16(even, odd);
  const __m512i front = _mm512_permutex2var_epi64(low, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), high);
  const __m512i back = _mm512_permutex2var_epi64(low, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), high);
  _mm512_store_si512(sums, front);
  _mm512_store_si512(sums + 32, back);
  const __m512i limit = _mm512_set1_epi16(static_cast<int16_t>(threshold));
  return uint64_t{_mm512_cmpgt_epi16_mask(front, limit)} | uint64_t{_mm512_cmpgt_epi16_mask(back, limit)} << 32;
}

#elif defined(__aarch64__)

uint64_t SumNeon(const uint8_t* block, const uint8_t* table, size_t groups, int threshold, uint16_t* sums) {
  const uint8x16_t low_bits = vdupq_n_u8(15);
  for (size_t quarter = 0; quarter < kBlockRows; quarter += 16) {
    uint16x8_t low = vdupq_n_u16(0);
    uint16x8_t high = vdupq_n_u16(0);
    for (size_t group = 0; group < groups; group += 2) {
      const uint8x16_t codes = vld1q_u8(block + group / 2 * kBlockRows + quarter);
      const uint8_t* const entries = table + group * kBlockRows;
      const uint8x16_t both = vaddq_u8(vqtbl1q_u8(vld1q_u8(entries), vandq_u8(codes, low_bits)),
                                       vqtbl1q_u8(vld1q_u8(entries + kBlockRows), vshrq_n_u8(codes, 4)));
      low = vaddw_u8(low, vget_low_u8(both));
      high = vaddw_u8(high, vget_high_u8(both));
    }
    vst1q_u16(sums + quarter, low);
    vst1q_u16(sums + quarter + 8, high);
  }
  uint64_t greater = 0;
  for (size_t r = 0; r < kBlockRows; ++r) greater |= uint64_t{sums[r] > threshold} << r;
  return greater;
}

#endif

}  // namespace

std::vector<CodeSumsPath> CodeSumsPaths() {
  std::vector<CodeSumsPath> paths = {{"scalar", SumScalar}};
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) paths.push_back({"avx2", SumAvx2});
  if (__builtin_cpu_supports("avx512bw")) paths.push_back({"avx512bw", SumAvx512});
#elif defined(__aarch64__)
  paths.push_back({"neon", SumNeon});
#endif
  return paths;
}

const CodeSums SumCodes = CodeSumsPaths().back().function;

}  // namespace kernelsmith::memory
