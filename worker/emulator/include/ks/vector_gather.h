// Elements and blocks from other places: GatherMask, Gather, Gatherb.
//
// Example:
//   uint64_t kept = 0;
//   AscendC::GatherMask(even, x, /*src1Pattern=*/1, false, 0, {1, 4, 8, 0}, kept);
//   AscendC::Gather(y, x, offsets_in_bytes, 0u, 64);
#pragma once

#include "ks/vector_call.h"

namespace AscendC {

enum class GatherMaskMode : uint8_t { VERSION_V1 = 0, VERSION_V2 };
inline constexpr GatherMaskMode defaultGatherMaskMode = GatherMaskMode::VERSION_V1;

#define KS_GATHER_TYPES(api) KS_TYPES(api, T, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float)

// Bits of a tensor choose.
template <typename T, typename U, GatherMaskMode mode = defaultGatherMaskMode>
__aicore__ inline void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                                  const LocalTensor<U>& src1Pattern, const bool reduceMode, const uint32_t mask,
                                  const GatherMaskParams& gatherMaskParams, uint64_t& rsvdCnt, KS_SITE) {
  KS_GATHER_TYPES("GatherMask");
  static_assert(ks::kOneOf<U, uint16_t, uint32_t> && sizeof(ks::Prim<U>) == sizeof(ks::Prim<T>),
                "GatherMask: bits come from uint16_t for 16-bit elements, from uint32_t for 32-bit ones");
  const kse_where where = site.In("GatherMask");
  const kse_operand from = ks::OperandOf(src0, gatherMaskParams.src0BlockStride, gatherMaskParams.src0RepeatStride);
  const kse_operand bits = ks::OperandOf(src1Pattern, 1, gatherMaskParams.src1RepeatStride);
  rsvdCnt = kse_vector_gather_mask(&dst.ks, &from, &bits, 0, reduceMode, mask, gatherMaskParams.repeatTimes, &where);
}
// Fixed patterns 1 to 7.
template <typename T, GatherMaskMode mode = defaultGatherMaskMode>
__aicore__ inline void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const uint8_t src1Pattern,
                                  const bool reduceMode, const uint32_t mask, const GatherMaskParams& gatherMaskParams,
                                  uint64_t& rsvdCnt, KS_SITE) {
  KS_GATHER_TYPES("GatherMask");
  const kse_where where = site.In("GatherMask");
  const kse_operand from = ks::OperandOf(src0, gatherMaskParams.src0BlockStride, gatherMaskParams.src0RepeatStride);
  rsvdCnt = kse_vector_gather_mask(&dst.ks, &from, nullptr, src1Pattern, reduceMode, mask, gatherMaskParams.repeatTimes,
                                   &where);
}

// Offsets count bytes.
template <typename T>
__aicore__ inline void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                              const LocalTensor<uint32_t>& srcOffset, const uint32_t srcBaseAddr, const uint32_t count,
                              KS_SITE) {
  KS_GATHER_TYPES("Gather");
  const kse_where where = site.In("Gather");
  const kse_operand to = ks::OperandOf(dst);
  const kse_lanes lanes = ks::CountLanes(count);
  kse_vector_gather(&to, &src.ks, &srcOffset.ks, srcBaseAddr, &lanes, &where);
}
template <typename T>
__aicore__ inline void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                              const LocalTensor<uint32_t>& srcOffset, const uint32_t srcBaseAddr, const uint64_t mask[],
                              const int32_t repeatTime, const uint16_t dstRepStride, KS_SITE) {
  KS_GATHER_TYPES("Gather");
  const kse_where where = site.In("Gather");
  const kse_operand to = ks::OperandOf(dst, 1, dstRepStride);
  const kse_lanes lanes = ks::BitLanes<true, sizeof(ks::Prim<T>)>(mask, repeatTime);
  kse_vector_gather(&to, &src.ks, &srcOffset.ks, srcBaseAddr, &lanes, &where);
}
template <typename T>
__aicore__ inline void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                              const LocalTensor<uint32_t>& srcOffset, const uint32_t srcBaseAddr, const uint64_t mask,
                              const int32_t repeatTime, const uint16_t dstRepStride, KS_SITE) {
  KS_GATHER_TYPES("Gather");
  const kse_where where = site.In("Gather");
  const kse_operand to = ks::OperandOf(dst, 1, dstRepStride);
  const kse_lanes lanes = ks::PrefixLanes<true>(mask, repeatTime);
  kse_vector_gather(&to, &src.ks, &srcOffset.ks, srcBaseAddr, &lanes, &where);
}
#undef KS_GATHER_TYPES

// Whole blocks.
template <typename T>
__aicore__ inline void Gatherb(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                               const LocalTensor<uint32_t>& offset, const int32_t repeatTime,
                               const GatherRepeatParams& repeatParams, KS_SITE) {
  KS_TYPES("Gatherb", T, uint16_t, uint32_t);
  const kse_where where = site.In("Gatherb");
  const kse_operand to = ks::OperandOf(dst, repeatParams.dstBlkStride, repeatParams.dstRepStride);
  kse_vector_gather_blocks(&to, &src.ks, &offset.ks, repeatTime, &where);
}

}  // namespace AscendC
