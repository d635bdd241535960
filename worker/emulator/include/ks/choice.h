// Choice of elements by masks of bytes, and the largest elements of rows.
//
// Example:
//   AscendC::SelectWithBytesMaskShapeInfo info;
//   info.firstAxis = 8; info.srcLastAxis = 64; info.maskLastAxis = 64;
//   AscendC::Select(y, x, half(0), mask, workspace, info);   // 0 where the mask is not
#pragma once

#include "ks/library_call.h"
#include "ks/shared_modes.h"
#include "ks/tiling_structures.h"

namespace AscendC {

struct SelectWithBytesMaskShapeInfo {
  KS_BOTH constexpr SelectWithBytesMaskShapeInfo() {}
  KS_BOTH constexpr SelectWithBytesMaskShapeInfo(uint32_t first, uint32_t source, uint32_t mask)
      : firstAxis(first), srcLastAxis(source), maskLastAxis(mask) {}

  uint32_t firstAxis = 0;
  uint32_t srcLastAxis = 0;
  uint32_t maskLastAxis = 0;
};

struct DropOutShapeInfo {
  KS_BOTH constexpr DropOutShapeInfo() {}
  KS_BOTH constexpr DropOutShapeInfo(uint32_t first, uint32_t source, uint32_t mask)
      : firstAxis(first), srcLastAxis(source), maskLastAxis(mask) {}

  uint32_t firstAxis = 0;
  uint32_t srcLastAxis = 0;
  uint32_t maskLastAxis = 0;
};

// Mask 0 takes the first operand. SelectWithBytesMask is the older name.
#define KS_SELECT_BYTES(Name)                                                                                 \
  template <typename T, typename U, bool isReuseMask = true>                                                  \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, T src1,                  \
                              const LocalTensor<U>& mask, const LocalTensor<uint8_t>& sharedTmpBuffer,        \
                              const SelectWithBytesMaskShapeInfo& info, KS_SITE) {                            \
    KS_TYPES(#Name, T, half, float);                                                                          \
    KS_TYPES(#Name, U, bool, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t);                          \
    ks::RunLibrary(KSE_LIB_SELECT_BYTES, {ks::Ref(dst)}, {ks::Ref(src0), ks::Ref(mask)},                      \
                   {{info.firstAxis, info.srcLastAxis, info.maskLastAxis}}, site.In(#Name), 0,                \
                   {{static_cast<float>(src1)}});                                                             \
  }                                                                                                           \
  template <typename T, typename U, bool isReuseMask = true>                                                  \
  __aicore__ inline void Name(const LocalTensor<T>& dst, T src0, const LocalTensor<T>& src1,                  \
                              const LocalTensor<U>& mask, const LocalTensor<uint8_t>& sharedTmpBuffer,        \
                              const SelectWithBytesMaskShapeInfo& info, KS_SITE) {                            \
    KS_TYPES(#Name, T, half, float);                                                                          \
    KS_TYPES(#Name, U, bool, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t);                          \
    ks::RunLibrary(KSE_LIB_SELECT_BYTES, {ks::Ref(dst)}, {ks::Ref(src1), ks::Ref(mask)},                      \
                   {{info.firstAxis, info.srcLastAxis, info.maskLastAxis}}, site.In(#Name), KSE_SCALAR_FIRST, \
                   {{static_cast<float>(src0)}});                                                             \
  }
KS_SELECT_BYTES(Select)
KS_SELECT_BYTES(SelectWithBytesMask)
#undef KS_SELECT_BYTES

// Elements divided by keepProb where the mask holds, else 0. A mask eight times as narrow as the source has bits.
template <typename T, bool isInitBitMode = false, uint32_t dropOutMode = 0>
__aicore__ inline void DropOut(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                               const LocalTensor<uint8_t>& maskLocal, const float keepProb,
                               const DropOutShapeInfo& info, KS_SITE) {
  KS_TYPES("DropOut", T, half, float);
  const bool bits = dropOutMode == 3 || dropOutMode == 4 || (dropOutMode == 0 && info.maskLastAxis < info.srcLastAxis);
  ks::RunLibrary(KSE_LIB_DROP_OUT, {ks::Ref(dstLocal)}, {ks::Ref(srcLocal), ks::Ref(maskLocal)},
                 {{info.firstAxis, info.srcLastAxis, info.maskLastAxis}}, site.In("DropOut"), bits ? KSE_BITS : 0,
                 {{keepProb}});
}
template <typename T, bool isInitBitMode = false, uint32_t dropOutMode = 0>
__aicore__ inline void DropOut(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                               const LocalTensor<uint8_t>& maskLocal, const LocalTensor<uint8_t>& sharedTmpBuffer,
                               const float keepProb, const DropOutShapeInfo& info, KS_SITE) {
  DropOut<T, isInitBitMode, dropOutMode>(dstLocal, srcLocal, maskLocal, keepProb, info, site);
}

struct TopKInfo {
  int32_t outter = 1;
  int32_t inner = 0;
  int32_t n = 0;
};

// Rows of the results are k elements apart in small mode, in normal mode whole blocks of 32 bytes.
template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,
          enum TopKMode topkMode = TopKMode::TOPK_NORMAL, const TopKConfig& config = defaultTopKConfig>
__aicore__ inline void TopK(const LocalTensor<T>& dstValueLocal, const LocalTensor<int32_t>& dstIndexLocal,
                            const LocalTensor<T>& srcLocal, const LocalTensor<int32_t>& srcIndexLocal,
                            const LocalTensor<bool>& finishLocal, const int32_t k, const TopkTiling& tilling,
                            const TopKInfo& topKInfo, const bool isLargest = true, KS_SITE) {
  KS_TYPES("TopK", T, half, float);
  constexpr bool kSmall = topkMode == TopKMode::TOPK_NSMALL;
  constexpr uint32_t kBlock = 32 / sizeof(T);
  const uint32_t count = static_cast<uint32_t>(k);
  const uint32_t values = kSmall ? count : (count + kBlock - 1) / kBlock * kBlock;
  const uint32_t indices = kSmall ? count : (count + 7) / 8 * 8;
  const uint32_t inner = static_cast<uint32_t>(topKInfo.inner);
  const bool smallest = config.order == TopKOrder::SMALLEST || (config.order == TopKOrder::UNSET && !isLargest);
  ks::RunLibrary(
      KSE_LIB_TOP_K, {ks::Ref(dstValueLocal), ks::Ref(dstIndexLocal)},
      {ks::Ref(srcLocal), isInitIndex ? ks::Ref(srcIndexLocal) : nullptr, isHasfinish ? ks::Ref(finishLocal) : nullptr},
      {{static_cast<uint32_t>(topKInfo.outter), inner, static_cast<uint32_t>(topKInfo.n), count, values, indices,
        kSmall ? inner : 0}},
      site.In("TopK"), smallest ? KSE_SMALLEST : 0);
}
template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,
          enum TopKMode topkMode = TopKMode::TOPK_NORMAL, const TopKConfig& config = defaultTopKConfig>
__aicore__ inline void TopK(const LocalTensor<T>& dstValueLocal, const LocalTensor<int32_t>& dstIndexLocal,
                            const LocalTensor<T>& srcLocal, const LocalTensor<int32_t>& srcIndexLocal,
                            const LocalTensor<bool>& finishLocal, const LocalTensor<uint8_t>& tmpLocal, const int32_t k,
                            const TopkTiling& tilling, const TopKInfo& topKInfo, const bool isLargest = true, KS_SITE) {
  TopK<T, isInitIndex, isHasfinish, isReuseSrc, topkMode, config>(dstValueLocal, dstIndexLocal, srcLocal, srcIndexLocal,
                                                                  finishLocal, k, tilling, topKInfo, isLargest, site);
}

}  // namespace AscendC
