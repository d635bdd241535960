// Quantisation: AscendQuant to int8_t, AscendDequant from int32_t, AscendAntiQuant from int8_t or int4b_t.
//
// Example:
//   AscendC::AscendQuant<half>(y, x, workspace, 0.02f, 0.9f, 1024);
//   AscendC::AscendDequant(y, x, scales, {8, 64, 60});
#pragma once

#include "ks/library_call.h"

namespace AscendC {

struct AscendQuantConfig {
  uint32_t calcCount = 0;
  uint32_t offsetCount = 0;
  uint32_t scaleCount = 0;
  uint32_t workLocalSize = 0;
};
inline constexpr AscendQuantConfig ASCEND_QUANT_DEFAULT_CFG = {0, 0, 0, 0};

enum class DeQuantMode { DEQUANT_WITH_SINGLE_ROW = 0, DEQUANT_WITH_MULTI_ROW };

struct DequantParams {
  uint32_t m;
  uint32_t n;
  uint32_t calCount;
};

struct AntiQuantShapeInfo {
  uint32_t offsetHeight{0};
  uint32_t offsetWidth{0};
  uint32_t scaleHeight{0};
  uint32_t scaleWidth{0};
};

}  // namespace AscendC

namespace ks {

template <typename T>
__aicore__ inline void Quantise(const AscendC::LocalTensor<int8_t>& dst, const AscendC::LocalTensor<T>& src,
                                const kse_tensor* scales, const kse_tensor* offsets, uint32_t period, uint32_t count,
                                float scale, float offset, const kse_where& where) {
  KS_TYPES("AscendQuant", T, half, float);
  RunLibrary(KSE_LIB_QUANT, {Ref(dst)}, {Ref(src), scales, offsets}, {{count, 1, count, period}}, where, 0,
             {{scale, offset}});
}

// A single row of whole blocks counts as rows of calCount.
template <typename D, AscendC::DeQuantMode kMode>
__aicore__ inline void Dequantise(const AscendC::LocalTensor<D>& dst, const AscendC::LocalTensor<int32_t>& src,
                                  const kse_tensor* scales, float scale, AscendC::DequantParams params,
                                  const kse_where& where) {
  static_assert(kOneOf<D, half, bfloat16_t, float>, "AscendDequant: results are half, bfloat16_t or float");
  if (kMode == AscendC::DeQuantMode::DEQUANT_WITH_SINGLE_ROW && params.m == 1 && params.calCount != 0 &&
      params.calCount % (32 / sizeof(D)) == 0 && params.n % params.calCount == 0) {
    params = {params.n / params.calCount, params.calCount, params.calCount};
  }
  RunLibrary(KSE_LIB_DEQUANT, {Ref(dst)}, {Ref(src), scales}, {{params.m, params.n, params.calCount}}, where, 0,
             {{scale}});
}

}  // namespace ks

namespace AscendC {

// One scale and offset for all, a scale for each of scaleCount neighbours, or scales and offsets.
#define KS_QUANT(WORKSPACE, WORKSPACE_LAST)                                                                            \
  template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>        \
  __aicore__ inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,            \
                                     WORKSPACE const float scale, const float offset, const uint32_t calCount,         \
                                     KS_SITE) {                                                                        \
    ks::Quantise(dstTensor, srcTensor, nullptr, nullptr, 0, calCount, scale, offset, site.In("AscendQuant"));          \
  }                                                                                                                    \
  template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>        \
  __aicore__ inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,            \
                                     WORKSPACE const float scale, const float offset, KS_SITE) {                       \
    ks::Quantise(dstTensor, srcTensor, nullptr, nullptr, 0, srcTensor.GetSize(), scale, offset,                        \
                 site.In("AscendQuant"));                                                                              \
  }                                                                                                                    \
  template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>        \
  __aicore__ inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,            \
                                     WORKSPACE const LocalTensor<T>& scaleTensor, const T offset,                      \
                                     const uint32_t scaleCount, const uint32_t calCount, KS_SITE) {                    \
    ks::Quantise(dstTensor, srcTensor, ks::Ref(scaleTensor), nullptr, scaleCount, calCount, 0,                         \
                 static_cast<float>(offset), site.In("AscendQuant"));                                                  \
  }                                                                                                                    \
  template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>        \
  __aicore__ inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,            \
                                     WORKSPACE const LocalTensor<T>& scaleTensor, const LocalTensor<T>& offsetTensor,  \
                                     const uint32_t scaleCount, const uint32_t offsetCount, const uint32_t calCount,   \
                                     KS_SITE) {                                                                        \
    ks::Quantise(dstTensor, srcTensor, ks::Ref(scaleTensor), ks::Ref(offsetTensor), scaleCount, calCount, 0, 0,        \
                 site.In("AscendQuant"));                                                                              \
  }                                                                                                                    \
  template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>        \
  __aicore__ inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,            \
                                     WORKSPACE const LocalTensor<T>& scaleTensor, const T offset, KS_SITE) {           \
    ks::Quantise(dstTensor, srcTensor, ks::Ref(scaleTensor), nullptr, scaleTensor.GetSize(), srcTensor.GetSize(), 0,   \
                 static_cast<float>(offset), site.In("AscendQuant"));                                                  \
  }                                                                                                                    \
  template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>        \
  __aicore__ inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,            \
                                     WORKSPACE const LocalTensor<T>& scaleTensor, const LocalTensor<T>& offsetTensor,  \
                                     KS_SITE) {                                                                        \
    ks::Quantise(dstTensor, srcTensor, ks::Ref(scaleTensor), ks::Ref(offsetTensor), scaleTensor.GetSize(),             \
                 srcTensor.GetSize(), 0, 0, site.In("AscendQuant"));                                                   \
  }                                                                                                                    \
  template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>                   \
  __aicore__ inline void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor,      \
                                       const LocalTensor<scaleT>& deqScale, WORKSPACE DequantParams params, KS_SITE) { \
    KS_TYPES("AscendDequant", scaleT, uint64_t, float, bfloat16_t);                                                    \
    ks::Dequantise<dstT, mode>(dstTensor, srcTensor, ks::Ref(deqScale), 0, params, site.In("AscendDequant"));          \
  }                                                                                                                    \
  template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>                   \
  __aicore__ inline void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor,      \
                                       const scaleT deqScale, WORKSPACE DequantParams params, KS_SITE) {               \
    KS_TYPES("AscendDequant", scaleT, float, bfloat16_t);                                                              \
    ks::Dequantise<dstT, mode>(dstTensor, srcTensor, nullptr, static_cast<float>(deqScale), params,                    \
                               site.In("AscendDequant"));                                                              \
  }                                                                                                                    \
  template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>                   \
  __aicore__ inline void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor,      \
                                       const LocalTensor<scaleT>& deqScale, WORKSPACE const uint32_t calCount,         \
                                       KS_SITE) {                                                                      \
    KS_TYPES("AscendDequant", scaleT, uint64_t, float, bfloat16_t);                                                    \
    ks::Dequantise<dstT, mode>(dstTensor, srcTensor, ks::Ref(deqScale), 0, {1, srcTensor.GetSize(), calCount},         \
                               site.In("AscendDequant"));                                                              \
  }                                                                                                                    \
  template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>                   \
  __aicore__ inline void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor,      \
                                       const LocalTensor<scaleT>& deqScale WORKSPACE_LAST, KS_SITE) {                  \
    KS_TYPES("AscendDequant", scaleT, uint64_t, float, bfloat16_t);                                                    \
    ks::Dequantise<dstT, mode>(dstTensor, srcTensor, ks::Ref(deqScale), 0,                                             \
                               {1, srcTensor.GetSize(), deqScale.GetSize()}, site.In("AscendDequant"));                \
  }
#define KS_WORKSPACE_LAST , const LocalTensor<uint8_t>& sharedTmpBuffer
KS_QUANT(KS_WORKSPACE, KS_WORKSPACE_LAST)
KS_QUANT(, )
#undef KS_QUANT
#undef KS_WORKSPACE_LAST

}  // namespace AscendC

namespace ks {

// src is [K, N], or transposed [N, K].
template <typename I, typename O, bool kTransposed>
__aicore__ inline void AntiQuantise(const AscendC::LocalTensor<O>& dst, const AscendC::LocalTensor<I>& src,
                                    const kse_tensor* offsets, const kse_tensor* scales, float offset, float scale,
                                    uint32_t k, uint32_t height, uint32_t width, const kse_where& where) {
  KS_TYPES("AscendAntiQuant", I, int8_t, AscendC::int4b_t);
  KS_TYPES("AscendAntiQuant", O, half, bfloat16_t);
  const uint32_t other = k == 0 ? 0 : src.GetSize() / k;
  const uint32_t rows = kTransposed ? other : k;
  const uint32_t columns = kTransposed ? k : other;
  // Without a shape the scales are one for each channel, or as many such rows as there are.
  if (scales != nullptr && height == 0 && width == 0 && other != 0) {
    height = kTransposed ? rows : static_cast<uint32_t>(scales->elements / columns);
    width = kTransposed ? static_cast<uint32_t>(scales->elements / rows) : columns;
  }
  RunLibrary(KSE_LIB_ANTIQUANT, {Ref(dst)}, {Ref(src), offsets, scales}, {{rows, columns, height, width}}, where, 0,
             {{scale, offset}});
}

// Height and width of a scale: as stated, or as its tensor says.
template <typename T>
__aicore__ inline uint32_t ScaleHeight(const AscendC::LocalTensor<T>& scale, uint32_t stated) {
  return stated != 0 ? stated : scale.GetShapeInfo().shape[0];
}
template <typename T>
__aicore__ inline uint32_t ScaleWidth(const AscendC::LocalTensor<T>& scale, uint32_t stated) {
  return stated != 0 ? stated : scale.GetShapeInfo().shape[1];
}

}  // namespace ks

namespace AscendC {

#define KS_ANTIQUANT(WORKSPACE)                                                                                        \
  template <typename InputDataType, typename OutputDataType, bool isTranspose>                                         \
  __aicore__ inline void AscendAntiQuant(                                                                              \
      const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,                                   \
      const LocalTensor<OutputDataType>& offset, const LocalTensor<OutputDataType>& scale, WORKSPACE const uint32_t k, \
      const AntiQuantShapeInfo& shapeInfo = {}, KS_SITE) {                                                             \
    ks::AntiQuantise<InputDataType, OutputDataType, isTranspose>(                                                      \
        dst, src, ks::Ref(offset), ks::Ref(scale), 0, 0, k, ks::ScaleHeight(scale, shapeInfo.scaleHeight),             \
        ks::ScaleWidth(scale, shapeInfo.scaleWidth), site.In("AscendAntiQuant"));                                      \
  }                                                                                                                    \
  template <typename InputDataType, typename OutputDataType, bool isTranspose>                                         \
  __aicore__ inline void AscendAntiQuant(const LocalTensor<OutputDataType>& dst,                                       \
                                         const LocalTensor<InputDataType>& src,                                        \
                                         const LocalTensor<OutputDataType>& scale, WORKSPACE const uint32_t k,         \
                                         const AntiQuantShapeInfo& shapeInfo = {}, KS_SITE) {                          \
    ks::AntiQuantise<InputDataType, OutputDataType, isTranspose>(                                                      \
        dst, src, nullptr, ks::Ref(scale), 0, 0, k, ks::ScaleHeight(scale, shapeInfo.scaleHeight),                     \
        ks::ScaleWidth(scale, shapeInfo.scaleWidth), site.In("AscendAntiQuant"));                                      \
  }                                                                                                                    \
  template <typename InputDataType, typename OutputDataType, bool isTranspose>                                         \
  __aicore__ inline void AscendAntiQuant(                                                                              \
      const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src, const OutputDataType offset,      \
      const OutputDataType scale, WORKSPACE const uint32_t k, const AntiQuantShapeInfo& shapeInfo = {}, KS_SITE) {     \
    ks::AntiQuantise<InputDataType, OutputDataType, isTranspose>(                                                      \
        dst, src, nullptr, nullptr, static_cast<float>(offset), static_cast<float>(scale), k, 1, 1,                    \
        site.In("AscendAntiQuant"));                                                                                   \
  }                                                                                                                    \
  template <typename InputDataType, typename OutputDataType, bool isTranspose>                                         \
  __aicore__ inline void AscendAntiQuant(                                                                              \
      const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src, const OutputDataType scale,       \
      WORKSPACE const uint32_t k, const AntiQuantShapeInfo& shapeInfo = {}, KS_SITE) {                                 \
    ks::AntiQuantise<InputDataType, OutputDataType, isTranspose>(                                                      \
        dst, src, nullptr, nullptr, 0, static_cast<float>(scale), k, 1, 1, site.In("AscendAntiQuant"));                \
  }
KS_ANTIQUANT(KS_WORKSPACE)
KS_ANTIQUANT()
#undef KS_ANTIQUANT

}  // namespace AscendC
