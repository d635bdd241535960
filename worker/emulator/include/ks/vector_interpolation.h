// BilinearInterpolation: blocks gathered, weighted and added up; made of Gatherb, Brcb, Mul and Add on a card too.
//
// Example:
//   AscendC::BilinearInterpolation(y, x, offsets, weights, /*mask=*/128, /*hRepeat=*/2, /*repeatMode=*/false,
//                                  /*dstBlkStride=*/1, /*vROffset=*/128, /*vRepeat=*/2, workspace);
#pragma once

#include "ks/events.h"
#include "ks/vector_binary.h"
#include "ks/vector_fill.h"
#include "ks/vector_gather.h"
#include "ks/vector_scalar.h"

namespace ks {

inline constexpr uint32_t kInterpolatedLanes = 128;
inline constexpr uint32_t kMostGatherRepeats = 255;
inline constexpr uint32_t kMostSpreadRepeats = 254;  // even, so that what follows them lies at a multiple of 32 bytes

template <typename T, typename Mask>
__aicore__ inline void Interpolate(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                                   const AscendC::LocalTensor<uint32_t>& offsets,
                                   const AscendC::LocalTensor<T>& weights, Mask mask, uint32_t horizontal,
                                   bool weight_a_block, uint16_t dst_block, uint32_t dst_repeat, uint32_t vertical,
                                   const AscendC::LocalTensor<uint8_t>& workspace, const Site& site) {
  static_assert(std::is_same_v<T, half>,
                "BilinearInterpolation: this element type is not supported; supported is half");
  using AscendC::LocalTensor;
  const uint32_t repeats = horizontal * vertical;
  const LocalTensor<T> gathered = workspace.ReinterpretCast<T>();
  const LocalTensor<T> spread = gathered[repeats * kInterpolatedLanes];
  for (uint32_t at = 0; at < repeats; at += kMostGatherRepeats) {
    const uint32_t n = repeats - at < kMostGatherRepeats ? repeats - at : kMostGatherRepeats;
    AscendC::Gatherb(gathered[at * kInterpolatedLanes].template ReinterpretCast<uint16_t>(),
                     src.template ReinterpretCast<uint16_t>(), offsets[at * 8], static_cast<int32_t>(n), {1, 8}, site);
  }
  const uint32_t weights_used = weight_a_block ? repeats * 8 : repeats;
  const uint32_t spreads = (weights_used + 7) / 8;
  for (uint32_t at = 0; at < spreads; at += kMostSpreadRepeats) {
    const uint32_t n = spreads - at < kMostSpreadRepeats ? spreads - at : kMostSpreadRepeats;
    AscendC::Brcb(spread[at * kInterpolatedLanes], weights[at * 8], static_cast<int32_t>(n), {1, 8}, site);
  }
  AscendC::PipeBarrier<PIPE_V>(site);
  for (uint32_t i = 0; i < repeats; ++i) {
    const LocalTensor<T> blocks = gathered[i * kInterpolatedLanes];
    AscendC::Mul(blocks, blocks, spread[weight_a_block ? i * kInterpolatedLanes : i * 16], uint64_t{kInterpolatedLanes},
                 1, {1, 1, static_cast<uint8_t>(weight_a_block ? 1 : 0), 8, 8, 8}, site);
  }
  AscendC::PipeBarrier<PIPE_V>(site);
  for (uint32_t v = 0; v < vertical; ++v) {
    const LocalTensor<T> to = dst[v * dst_repeat];
    const LocalTensor<T> first = gathered[v * horizontal * kInterpolatedLanes];
    AscendC::Adds(to, first, T(0), mask, 1, {dst_block, 1, 8, 8}, site);
    for (uint32_t h = 1; h < horizontal; ++h) {
      const uint8_t stride = static_cast<uint8_t>(dst_block);
      AscendC::PipeBarrier<PIPE_V>(site);
      AscendC::Add(to, to, first[h * kInterpolatedLanes], mask, 1, {stride, stride, 1, 8, 8, 8}, site);
    }
  }
}

}  // namespace ks

namespace AscendC {

template <typename T>
__aicore__ inline void BilinearInterpolation(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                                             const LocalTensor<uint32_t>& src0Offset, const LocalTensor<T>& src1,
                                             const uint64_t mask[], uint8_t hRepeat, bool repeatMode,
                                             uint16_t dstBlkStride, uint16_t vROffset, uint8_t vRepeat,
                                             const LocalTensor<uint8_t>& sharedTmpBuffer, KS_SITE) {
  ks::Interpolate(dst, src0, src0Offset, src1, mask, hRepeat, repeatMode, dstBlkStride, vROffset, vRepeat,
                  sharedTmpBuffer, site);
}
template <typename T>
__aicore__ inline void BilinearInterpolation(const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                                             const LocalTensor<uint32_t>& src0Offset, const LocalTensor<T>& src1,
                                             uint64_t mask, uint8_t hRepeat, bool repeatMode, uint16_t dstBlkStride,
                                             uint16_t vROffset, uint8_t vRepeat,
                                             const LocalTensor<uint8_t>& sharedTmpBuffer, KS_SITE) {
  ks::Interpolate(dst, src0, src0Offset, src1, mask, hRepeat, repeatMode, dstBlkStride, vROffset, vRepeat,
                  sharedTmpBuffer, site);
}

}  // namespace AscendC
