// How much workspace a high-level function wants. The emulated card computes without any; the sizes it names are those
// of one float copy of the data (maximum) and of one instruction (minimum), so that kernels reserve memory as they
// would have to on a card. What a card asks for is not documented.
//
// Example:
//   uint32_t most = 0, least = 0;
//   AscendC::GetTanhMaxMinTmpSize(shape, sizeof(half), false, most, least);
#pragma once

#include "ks/host_shape.h"
#include "ks/shared_modes.h"
#include "tiling/platform/platform_ascendc.h"

namespace ks {

inline uint32_t LeastWorkspace(uint32_t type_bytes) { return type_bytes < 4 ? 512 : 256; }
inline uint32_t MostWorkspace(int64_t elements, uint32_t type_bytes) {
  const uint32_t bytes = static_cast<uint32_t>((elements * 4 + 255) / 256 * 256);
  const uint32_t least = LeastWorkspace(type_bytes);
  return bytes < least ? least : bytes;
}
inline void Workspace(int64_t elements, uint32_t type_bytes, uint32_t& most, uint32_t& least) {
  most = MostWorkspace(elements, type_bytes);
  least = LeastWorkspace(type_bytes);
}
// Copies of the input, each of the input's own size.
inline void WorkspaceFactor(uint32_t type_bytes, uint32_t& factor, uint32_t& extra) {
  factor = type_bytes < 4 ? 2 : 1;
  extra = 0;
}
inline uint32_t TypeBytes(ge::DataType type) {
  switch (type) {
    case ge::DT_INT8:
    case ge::DT_UINT8:
    case ge::DT_BOOL:
    case ge::DT_INT4:
      return 1;
    case ge::DT_FLOAT16:
    case ge::DT_BF16:
    case ge::DT_INT16:
    case ge::DT_UINT16:
      return 2;
    case ge::DT_INT64:
    case ge::DT_UINT64:
    case ge::DT_DOUBLE:
      return 8;
    default:
      return 4;
  }
}

}  // namespace ks

namespace AscendC {

// Shape, size of an element, whether the source may be reused.
#define KS_TMP_SIZE(Name)                                                                                \
  inline void Get##Name##MaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool, \
                                       uint32_t& maxValue, uint32_t& minValue) {                         \
    ks::Workspace(srcShape.GetShapeSize(), typeSize, maxValue, minValue);                                \
  }
#define KS_TMP_FACTOR(Name)                                                                       \
  inline void Get##Name##TmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, \
                                             uint32_t& extraBuf) {                                \
    ks::WorkspaceFactor(typeSize, maxLiveNodeCount, extraBuf);                                    \
  }
#define KS_TMP(Name) \
  KS_TMP_SIZE(Name)  \
  KS_TMP_FACTOR(Name)
KS_TMP(Acos)
KS_TMP(Acosh)
KS_TMP(Asin)
KS_TMP(Asinh)
KS_TMP(Atan)
KS_TMP(Atanh)
KS_TMP(Axpy)
KS_TMP(Ceil)
KS_TMP(Clamp)
KS_TMP(Cos)
KS_TMP(Cosh)
KS_TMP(Digamma)
KS_TMP(Erf)
KS_TMP(Erfc)
KS_TMP(Floor)
KS_TMP(Fmod)
KS_TMP(Frac)
KS_TMP(GeGLU)
KS_TMP(Lgamma)
KS_TMP(Log)
KS_TMP(Log10)
KS_TMP(Log2)
KS_TMP(Sign)
KS_TMP(Sin)
KS_TMP(Sinh)
KS_TMP(Tan)
KS_TMP(Tanh)
KS_TMP(Trunc)
KS_TMP(Xor)
KS_TMP_SIZE(DropOut)
KS_TMP_SIZE(LayerNorm)
KS_TMP_SIZE(LayerNormGrad)
KS_TMP_SIZE(LayerNormGradBeta)
KS_TMP_SIZE(ReGlu)
KS_TMP_SIZE(ReduceXorSum)
KS_TMP_SIZE(Sigmoid)
KS_TMP_SIZE(WelfordFinalize)
KS_TMP_FACTOR(Exp)
KS_TMP_FACTOR(Mean)
KS_TMP_FACTOR(SwiGLU)
#undef KS_TMP
#undef KS_TMP_FACTOR
#undef KS_TMP_SIZE

inline bool GetExpMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                uint32_t& minValue) {
  ks::Workspace(srcShape.GetShapeSize(), typeSize, maxValue, minValue);
  return true;
}
inline void GetRoundMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const TensorShape& srcShape,
                                  const uint32_t typeSize, const bool, uint32_t& maxValue, uint32_t& minValue) {
  ks::Workspace(srcShape.GetShapeSize(), typeSize, maxValue, minValue);
}
inline void GetRoundTmpBufferFactorSize(const platform_ascendc::PlatformAscendC&, const uint32_t typeSize,
                                        uint32_t& maxLiveNodeCount, uint32_t& extraBuf) {
  ks::WorkspaceFactor(typeSize, maxLiveNodeCount, extraBuf);
}
inline void GetPowerMaxMinTmpSize(const TensorShape& srcShape0, const TensorShape& srcShape1, const bool,
                                  const uint32_t typeSize, const bool, uint32_t& maxValue, uint32_t& minValue) {
  const int64_t first = srcShape0.GetShapeSize();
  const int64_t second = srcShape1.GetShapeSize();
  ks::Workspace(first > second ? first : second, typeSize, maxValue, minValue);
}
inline void GetPowerTmpBufferFactorSize(const bool, const bool, const bool, const uint32_t typeSize,
                                        uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  ks::WorkspaceFactor(typeSize, maxLiveNodeCount, extraBuffer);
}
inline void GetCumSumMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool, const bool,
                                   uint32_t& maxValue, uint32_t& minValue) {
  ks::Workspace(srcShape.GetShapeSize(), typeSize, maxValue, minValue);
}
inline void GetSwiGLUMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                   uint32_t& minValue, const bool) {
  ks::Workspace(srcShape.GetShapeSize(), typeSize, maxValue, minValue);
}
inline void GetSiluTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                           uint32_t& minValue) {
  ks::Workspace(srcShape.GetShapeSize(), typeSize, maxValue, minValue);
}
inline void GetSwishTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                            uint32_t& minValue) {
  ks::Workspace(srcShape.GetShapeSize(), typeSize, maxValue, minValue);
}
inline uint32_t GetGeluMaxTmpSize(const TensorShape& srcShape, const uint32_t typeSize) {
  return ks::MostWorkspace(srcShape.GetShapeSize(), typeSize);
}
inline uint32_t GetGeluMinTmpSize(const TensorShape&, const uint32_t typeSize) { return ks::LeastWorkspace(typeSize); }
inline void GetGeluMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                 uint32_t& minValue) {
  ks::Workspace(srcShape.GetShapeSize(), typeSize, maxValue, minValue);
}

// Sine and cosine, with a choice of the way to compute.
inline void GetSinMaxMinTmpSize(const SinConfig&, const TensorShape& srcShape, const uint32_t typeSize, const bool,
                                uint32_t& maxValue, uint32_t& minValue) {
  ks::Workspace(srcShape.GetShapeSize(), typeSize, maxValue, minValue);
}
inline void GetSinTmpBufferFactorSize(const SinConfig&, const uint32_t typeSize, uint32_t& maxLiveNodeCount,
                                      uint32_t& extraBuf) {
  ks::WorkspaceFactor(typeSize, maxLiveNodeCount, extraBuf);
}
inline void GetCosMaxMinTmpSize(const CosConfig&, const TensorShape& srcShape, const uint32_t typeSize, const bool,
                                uint32_t& maxValue, uint32_t& minValue) {
  ks::Workspace(srcShape.GetShapeSize(), typeSize, maxValue, minValue);
}
inline void GetCosTmpBufferFactorSize(const CosConfig&, const uint32_t typeSize, uint32_t& maxLiveNodeCount,
                                      uint32_t& extraBuf) {
  ks::WorkspaceFactor(typeSize, maxLiveNodeCount, extraBuf);
}

// Reductions. `n`: elements of a row.
inline void GetSumMaxMinTmpSize(const uint32_t n, const uint32_t typeSize, const bool, uint32_t& maxSize,
                                uint32_t& minSize) {
  ks::Workspace(n, typeSize, maxSize, minSize);
}
inline void GetMeanMaxMinTmpSize(const uint32_t n, const uint32_t srcTypeSize, const uint32_t, const bool,
                                 uint32_t& maxSize, uint32_t& minSize) {
  ks::Workspace(n, srcTypeSize, maxSize, minSize);
}
#define KS_TMP_REDUCE(Name)                                                                                       \
  inline void Get##Name##MaxMinTmpSize(const TensorShape& srcShape, const TensorDataType dataType, ReducePattern, \
                                       bool, bool, uint32_t& maxValue, uint32_t& minValue) {                      \
    ks::Workspace(srcShape.GetShapeSize(), ks::TypeBytes(dataType), maxValue, minValue);                          \
  }
KS_TMP_REDUCE(ReduceAll)
KS_TMP_REDUCE(ReduceAny)
KS_TMP_REDUCE(ReduceMax)
KS_TMP_REDUCE(ReduceMean)
KS_TMP_REDUCE(ReduceMin)
KS_TMP_REDUCE(ReduceProd)
KS_TMP_REDUCE(ReduceSum)
#undef KS_TMP_REDUCE

// Choice, layout, sorting.
#define KS_TMP_SELECT(Name)                                                                                           \
  inline uint32_t Get##Name##MaxTmpSize(const TensorShape& src0Shape, const TensorShape& src1Shape,                   \
                                        const uint32_t srcTypeSize, const TensorShape&, const uint32_t, const bool) { \
    const int64_t first = src0Shape.GetShapeSize();                                                                   \
    const int64_t second = src1Shape.GetShapeSize();                                                                  \
    return ks::MostWorkspace(first > second ? first : second, srcTypeSize);                                           \
  }                                                                                                                   \
  inline uint32_t Get##Name##MinTmpSize(const TensorShape&, const TensorShape&, const uint32_t srcTypeSize,           \
                                        const TensorShape&, const uint32_t, const bool) {                             \
    return ks::LeastWorkspace(srcTypeSize);                                                                           \
  }                                                                                                                   \
  inline void Get##Name##MaxMinTmpSize(const TensorShape& src0Shape, const TensorShape& src1Shape,                    \
                                       const uint32_t srcTypeSize, const TensorShape& maskShape,                      \
                                       const uint32_t maskTypeSize, const bool isReuseMask, uint32_t& maxValue,       \
                                       uint32_t& minValue) {                                                          \
    maxValue = Get##Name##MaxTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask);        \
    minValue = ks::LeastWorkspace(srcTypeSize);                                                                       \
  }
KS_TMP_SELECT(Select)
KS_TMP_SELECT(SelectWithBytesMask)
#undef KS_TMP_SELECT
inline uint32_t GetDropOutMaxTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool) {
  return ks::MostWorkspace(srcShape.GetShapeSize(), typeSize);
}
inline uint32_t GetDropOutMinTmpSize(const TensorShape&, const uint32_t typeSize, const bool) {
  return ks::LeastWorkspace(typeSize);
}
inline void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const TensorShape&,
                                      const TensorShape& dstShape, uint32_t typeSize, const bool, uint32_t& maxValue,
                                      uint32_t& minValue) {
  ks::Workspace(dstShape.GetShapeSize(), typeSize, maxValue, minValue);
}
// Arange needs none.
inline void GetArangeMaxMinTmpSize(uint32_t& maxValue, uint32_t& minValue) { maxValue = minValue = 0; }
inline void GetArithProgressionMaxMinTmpSize(uint32_t& maxValue, uint32_t& minValue) { maxValue = minValue = 0; }
inline uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC&, const uint32_t elemCount,
                                 const uint32_t /*dataTypeSize*/) {
  return elemCount * 8;
}
inline uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC&, const uint32_t elemCount,
                               const uint32_t /*dataTypeSize*/) {
  return elemCount * 8;
}

inline void GetSortMaxMinTmpSize(const TensorShape& srcShape, TensorDataType valueType, TensorDataType, bool,
                                 const SortConfig&, uint32_t& maxValue, uint32_t& minValue) {
  ks::Workspace(2 * srcShape.GetShapeSize(), ks::TypeBytes(valueType), maxValue, minValue);
}

// Quantisation.
inline void GetAscendQuantMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                        uint32_t& minValue) {
  ks::Workspace(srcShape.GetShapeSize(), typeSize, maxValue, minValue);
}
inline void GetAscendQuantTmpBufferFactorSize(uint32_t& maxLiveNodeCount, uint32_t& extraBuf) {
  ks::WorkspaceFactor(2, maxLiveNodeCount, extraBuf);
}
inline void GetAscendDequantMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                          uint32_t& minValue) {
  ks::Workspace(srcShape.GetShapeSize(), typeSize, maxValue, minValue);
}
inline void GetAscendDequantTmpBufferFactorSize(const TensorShape&, uint32_t& maxLiveNodeCount, uint32_t& extraBuf) {
  ks::WorkspaceFactor(4, maxLiveNodeCount, extraBuf);
}
inline uint32_t GetAscendAntiQuantMaxTmpSize(const TensorShape& srcShape, const TensorShape&, bool,
                                             TensorDataType inputDataType, TensorDataType) {
  return ks::MostWorkspace(srcShape.GetShapeSize(), ks::TypeBytes(inputDataType));
}
inline uint32_t GetAscendAntiQuantMinTmpSize(const TensorShape&, const TensorShape&, bool, TensorDataType inputDataType,
                                             TensorDataType) {
  return ks::LeastWorkspace(ks::TypeBytes(inputDataType));
}
inline void GetAscendAntiQuantMaxMinTmpSize(const TensorShape& srcShape, const TensorShape&, bool,
                                            TensorDataType inputDataType, TensorDataType, uint32_t& maxValue,
                                            uint32_t& minValue) {
  ks::Workspace(srcShape.GetShapeSize(), ks::TypeBytes(inputDataType), maxValue, minValue);
}
inline void GetAscendAntiQuantTmpBufferFactorSize(const TensorShape&, const TensorShape&, bool,
                                                  TensorDataType inputDataType, TensorDataType,
                                                  uint32_t& maxLiveNodeCount, uint32_t& extraBuf) {
  ks::WorkspaceFactor(ks::TypeBytes(inputDataType), maxLiveNodeCount, extraBuf);
}

}  // namespace AscendC
