// Tiling functions of softmax, normalisations, sorting and changes of shape: they fill the structure that the kernel
// passes on.
//
// Example:
//   optiling::SoftMaxTiling tiling;
//   const uint32_t bytes = AscendC::GetSoftMaxMinTmpSize(shape, sizeof(half), false);
//   AscendC::SoftMaxTilingFunc(shape, sizeof(half), bytes, tiling);
#pragma once

#include "ks/host_workspace.h"
#include "ks/shared_modes.h"
#include "ks/tiling_structures.h"

namespace ks {

inline uint32_t Columns(const ge::Shape& shape) {
  return shape.GetDimNum() == 0 ? 0 : static_cast<uint32_t>(shape.GetDim(shape.GetDimNum() - 1));
}
inline uint32_t RowsOf(const ge::Shape& shape) {
  const uint32_t columns = Columns(shape);
  return columns == 0 ? 0 : static_cast<uint32_t>(shape.GetShapeSize() / columns);
}

// As many rows at a time as the workspace holds in float.
inline void FillSoftMax(const ge::Shape& shape, uint32_t side_bytes, uint32_t workspace,
                        AscendC::tiling::SoftMaxTiling& tiling) {
  const uint32_t block = side_bytes == 0 ? 8 : 32 / side_bytes;
  tiling = {};
  tiling.srcM = RowsOf(shape);
  tiling.srcK = Columns(shape);
  tiling.srcSize = tiling.srcM * tiling.srcK;
  tiling.outMaxM = tiling.srcM;
  tiling.outMaxK = block;
  tiling.outMaxSize = tiling.srcM * block;
  const uint32_t row_bytes = (tiling.srcK + 64) * 4;
  uint32_t rows = row_bytes == 0 ? 1 : workspace / row_bytes;
  if (rows >= 8) rows = rows / 8 * 8;
  if (rows > tiling.srcM) rows = tiling.srcM;
  if (rows == 0) rows = 1;
  tiling.splitM = rows;
  tiling.splitK = tiling.srcK;
  tiling.splitSize = rows * tiling.srcK;
  tiling.reduceM = rows;
  tiling.reduceK = block;
  tiling.reduceSize = rows * block;
  tiling.rangeM = tiling.srcM / rows;
  tiling.tailM = tiling.srcM % rows;
  tiling.tailSplitSize = tiling.tailM * tiling.srcK;
  tiling.tailReduceSize = tiling.tailM * block;
}

// {B, S, stored H, H}, or {B, S, H}.
inline void FillNorm(const ge::Shape& shape, AscendC::tiling::NormShape& tiling) {
  tiling.bLength = static_cast<uint32_t>(shape.GetDim(0));
  tiling.sLength = static_cast<uint32_t>(shape.GetDim(1));
  tiling.hLength = static_cast<uint32_t>(shape.GetDim(2));
  tiling.originalHLength = static_cast<uint32_t>(shape.GetDim(shape.GetDimNum() > 3 ? 3 : 2));
}
inline void FillNorm(const ge::Shape& shape, const ge::Shape& original, AscendC::tiling::NormShape& tiling) {
  FillNorm(shape, tiling);
  tiling.originalHLength = static_cast<uint32_t>(original.GetDim(2));
}

}  // namespace ks

namespace AscendC {

// Softmax. Sizes of elements: of the data, or of sums and maxima, as the functions' documentation says.
#define KS_SOFTMAX_SIZE(Name)                                                                  \
  inline uint32_t Name(const TensorShape& srcShape, const uint32_t dataTypeSize, const bool) { \
    return ks::MostWorkspace(srcShape.GetShapeSize(), dataTypeSize);                           \
  }
KS_SOFTMAX_SIZE(GetSoftMaxMaxTmpSize)
KS_SOFTMAX_SIZE(GetLogSoftMaxMaxTmpSize)
#undef KS_SOFTMAX_SIZE
inline uint32_t GetSoftMaxMinTmpSize(const TensorShape& srcShape, const uint32_t, const bool) {
  return (ks::Columns(srcShape) + 64) * 4;
}
inline uint32_t GetLogSoftMaxMinTmpSize(const TensorShape srcShape, const uint32_t, const bool) {
  return (ks::Columns(srcShape) + 64) * 4;
}
inline void SoftMaxTilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize,
                              const uint32_t localWorkSpaceSize, tiling::SoftMaxTiling& softmaxTiling) {
  ks::FillSoftMax(srcShape, dataTypeSize, localWorkSpaceSize, softmaxTiling);
}
inline void LogSoftMaxTilingFunc(const TensorShape srcShape, const uint32_t dataTypeSize,
                                 const uint32_t localWorkSpaceSize, tiling::LogSoftMaxTiling& softmaxTiling) {
  ks::FillSoftMax(srcShape, dataTypeSize, localWorkSpaceSize, softmaxTiling);
}
// With a flag more: whether results of earlier parts are taken in, or only the front is computed.
inline uint32_t GetSoftMaxFlashMaxTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize, const bool,
                                          const bool isReuseSource) {
  return GetSoftMaxMaxTmpSize(srcShape, dataTypeSize, isReuseSource);
}
inline uint32_t GetSoftMaxFlashMinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize, const bool,
                                          const bool isReuseSource) {
  return GetSoftMaxMinTmpSize(srcShape, dataTypeSize, isReuseSource);
}
inline void SoftMaxFlashTilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize,
                                   const uint32_t localWorkSpaceSize, tiling::SoftMaxTiling& softmaxFlashTiling,
                                   const bool = false) {
  ks::FillSoftMax(srcShape, dataTypeSize, localWorkSpaceSize, softmaxFlashTiling);
}
inline uint32_t GetSoftMaxGradMaxTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize, const bool,
                                         const bool isReuseSource) {
  return GetSoftMaxMaxTmpSize(srcShape, dataTypeSize, isReuseSource);
}
inline uint32_t GetSoftMaxGradMinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize, const bool,
                                         const bool isReuseSource) {
  return GetSoftMaxMinTmpSize(srcShape, dataTypeSize, isReuseSource);
}
inline void SoftMaxGradTilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize,
                                  const uint32_t localWorkSpaceSize, tiling::SoftMaxTiling& softmaxGradTiling,
                                  const bool = false) {
  ks::FillSoftMax(srcShape, dataTypeSize, localWorkSpaceSize, softmaxGradTiling);
}
inline uint32_t GetSoftMaxFlashV2MaxTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize1, const uint32_t,
                                            const bool, const bool = false, const bool = false) {
  return GetSoftMaxMaxTmpSize(srcShape, dataTypeSize1, false);
}
inline uint32_t GetSoftMaxFlashV2MinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize1, const uint32_t,
                                            const bool, const bool = false, const bool = false) {
  return GetSoftMaxMinTmpSize(srcShape, dataTypeSize1, false);
}
inline void SoftMaxFlashV2TilingFunc(const TensorShape& srcShape, const uint32_t, const uint32_t dataTypeSize2,
                                     const uint32_t localWorkSpaceSize, tiling::SoftMaxTiling& softmaxFlashTiling,
                                     const bool, const bool = false, const bool = false) {
  ks::FillSoftMax(srcShape, dataTypeSize2, localWorkSpaceSize, softmaxFlashTiling);
}
inline void GetSoftMaxFlashV3MaxMinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize1, const uint32_t,
                                           uint32_t& maxValue, uint32_t& minValue, const bool, const bool = false) {
  maxValue = GetSoftMaxMaxTmpSize(srcShape, dataTypeSize1, false);
  minValue = GetSoftMaxMinTmpSize(srcShape, dataTypeSize1, false);
}
inline void SoftMaxFlashV3TilingFunc(const TensorShape& srcShape, const uint32_t, const uint32_t dataTypeSize2,
                                     const uint32_t localWorkSpaceSize, tiling::SoftMaxTiling& softmaxFlashV3Tiling,
                                     const bool, const bool = false) {
  ks::FillSoftMax(srcShape, dataTypeSize2, localWorkSpaceSize, softmaxFlashV3Tiling);
}
// Rows of 64 to 2047 elements in 64s, in eights of rows: what the isBasicBlock parameter promises.
inline bool IsBasicBlockInSoftMax(tiling::SoftMaxTiling& tiling, const uint32_t dataTypeSize = 2) {
  return tiling.srcK % 64 == 0 && tiling.srcK < 2048 && dataTypeSize != 0 && tiling.srcK >= 256 / dataTypeSize &&
         tiling.srcM % 8 == 0 && tiling.splitM % 8 == 0;
}

// Normalisations.
inline void GetLayerNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool, const bool,
                                      const bool, uint32_t& maxValue, uint32_t& minValue) {
  ks::Workspace(srcShape.GetShapeSize(), typeSize, maxValue, minValue);
}
inline void GetNormalizeMaxMinTmpSize(const TensorShape& srcShape, const uint32_t, const uint32_t typeSizeT, const bool,
                                      const bool, const bool, uint32_t& maxValue, uint32_t& minValue) {
  ks::Workspace(srcShape.GetShapeSize(), typeSizeT, maxValue, minValue);
}
inline void GetLayerNormNDTilingInfo(const TensorShape& srcShape, const uint32_t, const uint32_t, const bool,
                                     tiling::LayerNormTiling& tiling) {
  ks::FillNorm(srcShape, tiling);
}
// The older spelling.
inline void GetLayerNormNDTillingInfo(const TensorShape& srcShape, const uint32_t, const uint32_t, const bool,
                                      tiling::LayerNormTiling& tilling) {
  ks::FillNorm(srcShape, tilling);
}
inline void GetLayerNormNDTilingInfo(const TensorShape& srcShape, const uint32_t, const uint32_t, const bool,
                                     const bool, tiling::LayerNormSeparateTiling& tiling) {
  tiling.aLength = static_cast<uint32_t>(srcShape.GetDim(0));
  tiling.rLength = static_cast<uint32_t>(srcShape.GetDim(1));
}
inline void GetLayerNormGradNDTilingInfo(const TensorShape srcShape, const uint32_t, const uint32_t, const bool,
                                         tiling::LayerNormGradTiling& tiling) {
  ks::FillNorm(srcShape, tiling);
}
inline void GetLayerNormGradBetaNDTilingInfo(const TensorShape srcShape, const uint32_t, const uint32_t, const bool,
                                             tiling::LayerNormGradBetaTiling& tiling) {
  ks::FillNorm(srcShape, tiling);
}
inline bool GetRmsNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                    uint32_t& minValue, const bool = false) {
  ks::Workspace(srcShape.GetShapeSize(), typeSize, maxValue, minValue);
  return true;
}
inline bool GetRmsNormTilingInfo(const TensorShape& srcShape, const TensorShape& originSrcShape, const uint32_t,
                                 const uint32_t, tiling::RmsNormTiling& tiling, const bool = false) {
  ks::FillNorm(srcShape, originSrcShape, tiling);
  tiling.reciprocalOfHLength = 1.0f / static_cast<float>(tiling.originalHLength);
  tiling.mainBsLength = tiling.bLength * tiling.sLength;
  tiling.mainBsLengthAlign = (tiling.mainBsLength + 7) / 8 * 8;
  tiling.mainBshLength = tiling.mainBsLength * tiling.hLength;
  tiling.loopRound = 1;
  return true;
}
inline bool GetDeepNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool, const bool,
                                     uint32_t& maxValue, uint32_t& minValue) {
  ks::Workspace(srcShape.GetShapeSize(), typeSize, maxValue, minValue);
  return true;
}
inline bool GetDeepNormTilingInfo(const TensorShape& srcShape, const TensorShape& originSrcShape, const uint32_t,
                                  const uint32_t, const bool, const bool, tiling::DeepNormTiling& tiling) {
  ks::FillNorm(srcShape, originSrcShape, tiling);
  return true;
}
inline bool GetBatchNormMaxMinTmpSize(const TensorShape& srcShape, const TensorShape&, const uint32_t typeSize,
                                      const bool, uint32_t& maxValue, uint32_t& minValue, const bool = false) {
  ks::Workspace(srcShape.GetShapeSize(), typeSize, maxValue, minValue);
  return true;
}
inline bool GetBatchNormNDTilingInfo(const TensorShape& srcShape, const TensorShape& originSrcShape, const uint32_t,
                                     const uint32_t, const bool, tiling::BatchNormTiling& tilling, const bool = false) {
  tilling.bLength = static_cast<uint32_t>(srcShape.GetDim(0));
  tilling.originalBLength = static_cast<uint32_t>(originSrcShape.GetDim(0));
  tilling.meanVarSize = static_cast<uint32_t>(srcShape.GetDim(1) * srcShape.GetDim(2));
  return true;
}
inline void GetGroupNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool, const uint32_t,
                                      uint32_t& maxValue, uint32_t& minValue) {
  ks::Workspace(srcShape.GetShapeSize(), typeSize, maxValue, minValue);
}
inline void GetGroupNormNDTilingInfo(const TensorShape& srcShape, const uint32_t, const uint32_t typeSize, const bool,
                                     const uint32_t groupNum, tiling::GroupNormTiling& tiling) {
  const uint32_t block = typeSize == 0 ? 8 : 32 / typeSize;
  tiling.n = static_cast<uint32_t>(srcShape.GetDim(0));
  tiling.c = static_cast<uint32_t>(srcShape.GetDim(1));
  tiling.hw = static_cast<uint32_t>(srcShape.GetDim(2) * srcShape.GetDim(3));
  tiling.g = groupNum;
  tiling.hwAlignSize = (tiling.hw + block - 1) / block * block;
}
inline void GetWelfordUpdateMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSizeT, const uint32_t,
                                          const bool, const bool, uint32_t& maxValue, uint32_t& minValue) {
  ks::Workspace(srcShape.GetShapeSize(), typeSizeT, maxValue, minValue);
}

// Order and shape.
inline bool GetTopKMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const int32_t inner, const int32_t outter,
                                 const bool, const bool, enum TopKMode, const bool, const uint32_t dataTypeSize,
                                 uint32_t& maxValue, uint32_t& minValue) {
  ks::Workspace(int64_t{inner} * outter * 4, dataTypeSize, maxValue, minValue);
  minValue = maxValue;
  return true;
}
inline bool TopKTilingFunc(const platform_ascendc::PlatformAscendC&, const int32_t inner, const int32_t outter,
                           const int32_t, const uint32_t dataTypeSize, const bool, enum TopKMode, const bool,
                           tiling::TopkTiling& topKTiling) {
  topKTiling.allDataSize = inner * outter;
  topKTiling.innerDataSize = inner;
  topKTiling.tmpLocalSize = static_cast<int32_t>(ks::MostWorkspace(int64_t{inner} * outter * 4, dataTypeSize));
  return true;
}
inline void GetPadMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                uint32_t& minValue) {
  ks::Workspace(srcShape.GetShapeSize(), typeSize, maxValue, minValue);
}
inline void PadTilingFunc(const TensorShape srcShape, const TensorShape oriSrcShape, const uint32_t stackBufferSize,
                          const uint32_t, tiling::PadTiling& tiling) {
  tiling.srcHeight = static_cast<uint32_t>(srcShape.GetDim(0));
  tiling.srcWidth = static_cast<uint32_t>(srcShape.GetDim(1));
  tiling.srcOriWidth = static_cast<uint32_t>(oriSrcShape.GetDim(1));
  tiling.stackBufferSize = stackBufferSize;
}
inline void GetUnPadMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const TensorShape& srcShape,
                                  const uint32_t typeSize, uint32_t& maxValue, uint32_t& minValue) {
  ks::Workspace(srcShape.GetShapeSize(), typeSize, maxValue, minValue);
}
inline void UnPadTilingFunc(const TensorShape srcShape, const uint32_t stackBufferSize, const uint32_t,
                            tiling::UnPadTiling& tiling) {
  tiling.srcHeight = static_cast<uint32_t>(srcShape.GetDim(0));
  tiling.srcWidth = static_cast<uint32_t>(srcShape.GetDim(1));
  tiling.stackBufferSize = stackBufferSize;
}
#define KS_TRANSPOSE_TILING(Size, Info)                                                                         \
  inline void Size(const TensorShape& srcShape, const uint32_t typeSize, const uint32_t, uint32_t& maxValue,    \
                   uint32_t& minValue) {                                                                        \
    ks::Workspace(srcShape.GetShapeSize(), typeSize, maxValue, minValue);                                       \
  }                                                                                                             \
  inline void Info(const TensorShape& srcShape, const uint32_t stackBufferSize, const uint32_t, const uint32_t, \
                   tiling::ConfusionTransposeTiling& tiling) {                                                  \
    const size_t dims = srcShape.GetDimNum();                                                                   \
    for (size_t i = 0; i < 4; ++i) tiling.shape[i] = 1;                                                         \
    for (size_t i = 0; i < dims && i < 4; ++i) {                                                                \
      tiling.shape[4 - (dims < 4 ? dims : 4) + i] = static_cast<uint32_t>(srcShape.GetDim(i));                  \
    }                                                                                                           \
    tiling.stackBufferSize = stackBufferSize;                                                                   \
  }
KS_TRANSPOSE_TILING(GetTransposeMaxMinTmpSize, GetTransposeTilingInfo)
KS_TRANSPOSE_TILING(GetConfusionTransposeMaxMinTmpSize, GetConfusionTransposeTilingInfo)
#undef KS_TRANSPOSE_TILING
inline void GetConfusionTransposeOnlyTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,
                                                const uint32_t typeSize, tiling::ConfusionTransposeTiling& tiling) {
  GetConfusionTransposeTilingInfo(srcShape, stackBufferSize, typeSize, 7, tiling);
}
inline bool GetTransDataMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const TensorShape& srcShape,
                                      const TensorShape& dstShape, const TensorDataType dataType,
                                      const TransDataConfig&, uint32_t& maxValue, uint32_t& minValue) {
  const int64_t first = srcShape.GetShapeSize();
  const int64_t second = dstShape.GetShapeSize();
  ks::Workspace(first > second ? first : second, ks::TypeBytes(dataType), maxValue, minValue);
  return true;
}

}  // namespace AscendC
