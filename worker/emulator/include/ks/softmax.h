// Softmax and its relatives. The rows' shape comes from the call, or where that leaves it out from the tiling.
//
// Example:
//   AscendC::SoftMax<half>(y, sum, max, x, workspace, tiling, {8, 128, 8, 120});
#pragma once

#include "ks/library_call.h"
#include "ks/tiling_structures.h"

namespace AscendC {

enum class SoftmaxMode { SOFTMAX_NORMAL = 0, SOFTMAX_OUTPUT_WITHOUT_BRC = 1 };

struct SoftmaxConfig {
  bool isCheckTiling = true;
  uint32_t oriSrcM = 0;
  uint32_t oriSrcK = 0;
  SoftmaxMode mode = SoftmaxMode::SOFTMAX_NORMAL;
};
inline constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG = {true, 0, 0, SoftmaxMode::SOFTMAX_NORMAL};

// Rows and columns as stored, and those of the data before padding.
struct SoftMaxShapeInfo {
  uint32_t srcM;
  uint32_t srcK;
  uint32_t oriSrcM;
  uint32_t oriSrcK;

  KS_BOTH constexpr SoftMaxShapeInfo() : srcM(0), srcK(0), oriSrcM(0), oriSrcK(0) {}
  KS_BOTH constexpr SoftMaxShapeInfo(uint32_t rows, uint32_t columns, uint32_t original_rows, uint32_t original_columns)
      : srcM(rows), srcK(columns), oriSrcM(original_rows), oriSrcK(original_columns) {}
};

struct SoftMaxParams {
  uint32_t srcM;
  uint32_t srcK;
  uint32_t oriSrcM;
  uint32_t oriSrcK;
  uint32_t loopCnt;
  uint32_t splitMeanCnt;
  float alpha;
};

}  // namespace AscendC

namespace ks {

__aicore__ inline LibrarySizes SoftMaxSizes(const AscendC::SoftMaxShapeInfo& shape, const SoftMaxTiling& tiling,
                                            const AscendC::SoftmaxConfig& config = AscendC::SOFTMAX_DEFAULT_CFG,
                                            uint32_t extra = 0) {
  const bool given = shape.srcM != 0 && shape.srcK != 0;
  const uint32_t real = config.oriSrcK != 0 ? config.oriSrcK : shape.oriSrcK;
  return LibrarySizes{{given ? shape.srcM : tiling.srcM, given ? shape.srcK : tiling.srcK, real, shape.oriSrcM, extra}};
}
KS_BOTH constexpr uint32_t SoftMaxOptions(bool fractal, const AscendC::SoftmaxConfig& config, bool update = false) {
  return (fractal ? KSE_SOFTMAX_FRACTAL : 0) | (update ? KSE_SOFTMAX_UPDATE : 0) |
         (config.mode == AscendC::SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC ? KSE_SOFTMAX_ONE_A_ROW : 0);
}

}  // namespace ks

namespace AscendC {

// half data with float sums and maxima are the same functions: T is then only a name.
#define KS_SOFTMAX(WORKSPACE)                                                                                          \
  template <typename T = float, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,    \
            const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG, typename D, typename S>                                 \
  __aicore__ inline void SoftMax(const LocalTensor<D>& dstTensor, const LocalTensor<S>& sumTensor,                     \
                                 const LocalTensor<S>& maxTensor, const LocalTensor<D>& srcTensor,                     \
                                 WORKSPACE const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {}, \
                                 KS_SITE) {                                                                            \
    KS_TYPES("SoftMax", D, half, float);                                                                               \
    ks::RunLibrary(KSE_LIB_SOFTMAX, {ks::Ref(dstTensor), ks::Ref(sumTensor), ks::Ref(maxTensor)},                      \
                   {ks::Ref(srcTensor)}, ks::SoftMaxSizes(softmaxShapeInfo, tiling, config), site.In("SoftMax"),       \
                   ks::SoftMaxOptions(isDataFormatNZ, config));                                                        \
  }                                                                                                                    \
  template <typename T, bool isReuseSource = false, bool isBasicBlock = false,                                         \
            const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>                                                         \
  __aicore__ inline void SoftMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                     \
                                 WORKSPACE const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {}, \
                                 KS_SITE) {                                                                            \
    KS_TYPES("SoftMax", T, half, float);                                                                               \
    ks::RunLibrary(KSE_LIB_SOFTMAX, {ks::Ref(dstTensor)}, {ks::Ref(srcTensor)},                                        \
                   ks::SoftMaxSizes(softmaxShapeInfo, tiling, config), site.In("SoftMax"));                            \
  }                                                                                                                    \
  template <typename T = float, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,    \
            const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG, typename D, typename S>                                 \
  __aicore__ inline void SimpleSoftMax(const LocalTensor<D>& dstTensor, const LocalTensor<S>& inSumTensor,             \
                                       const LocalTensor<S>& inMaxTensor, const LocalTensor<D>& srcTensor,             \
                                       WORKSPACE const SoftMaxTiling& tiling,                                          \
                                       const SoftMaxShapeInfo& softmaxShapeInfo = {}, KS_SITE) {                       \
    KS_TYPES("SimpleSoftMax", D, half, float);                                                                         \
    ks::RunLibrary(KSE_LIB_SIMPLE_SOFTMAX, {ks::Ref(dstTensor)},                                                       \
                   {ks::Ref(srcTensor), ks::Ref(inSumTensor), ks::Ref(inMaxTensor)},                                   \
                   ks::SoftMaxSizes(softmaxShapeInfo, tiling, config), site.In("SimpleSoftMax"),                       \
                   ks::SoftMaxOptions(isDataFormatNZ, config));                                                        \
  }                                                                                                                    \
  template <typename T = float, bool isReuseSource = false, bool isBasicBlock = false, typename D, typename S>         \
  __aicore__ inline void SoftmaxFlash(const LocalTensor<D>& dstTensor, const LocalTensor<S>& sumTensor,                \
                                      const LocalTensor<S>& maxTensor, const LocalTensor<D>& srcTensor,                \
                                      const LocalTensor<D>& expMaxTensor, const LocalTensor<S>& inSumTensor,           \
                                      const LocalTensor<S>& inMaxTensor, WORKSPACE const SoftMaxTiling& tiling,        \
                                      bool isUpdate = false, const SoftMaxShapeInfo& softmaxShapeInfo = {}, KS_SITE) { \
    KS_TYPES("SoftmaxFlash", D, half, float);                                                                          \
    ks::RunLibrary(                                                                                                    \
        KSE_LIB_SOFTMAX_FLASH, {ks::Ref(dstTensor), ks::Ref(sumTensor), ks::Ref(maxTensor), ks::Ref(expMaxTensor)},    \
        {ks::Ref(srcTensor), ks::Ref(inSumTensor), ks::Ref(inMaxTensor)}, ks::SoftMaxSizes(softmaxShapeInfo, tiling),  \
        site.In("SoftmaxFlash"), isUpdate ? KSE_SOFTMAX_UPDATE : 0);                                                   \
  }                                                                                                                    \
  template <typename T = float, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,          \
            bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG, typename D, typename S>    \
  __aicore__ inline void SoftmaxFlashV2(const LocalTensor<D>& dstTensor, const LocalTensor<S>& expSumTensor,           \
                                        const LocalTensor<S>& maxTensor, const LocalTensor<D>& srcTensor,              \
                                        const LocalTensor<D>& expMaxTensor, const LocalTensor<S>& inExpSumTensor,      \
                                        const LocalTensor<S>& inMaxTensor, WORKSPACE const SoftMaxTiling& tiling,      \
                                        const SoftMaxShapeInfo& softmaxShapeInfo = {}, KS_SITE) {                      \
    KS_TYPES("SoftmaxFlashV2", D, half, float);                                                                        \
    ks::RunLibrary(KSE_LIB_SOFTMAX_FLASH2,                                                                             \
                   {ks::Ref(dstTensor), ks::Ref(expSumTensor), ks::Ref(maxTensor), ks::Ref(expMaxTensor)},             \
                   {ks::Ref(srcTensor), ks::Ref(inExpSumTensor), ks::Ref(inMaxTensor)},                                \
                   ks::SoftMaxSizes(softmaxShapeInfo, tiling, config), site.In("SoftmaxFlashV2"),                      \
                   ks::SoftMaxOptions(isDataFormatNZ, config, isUpdate));                                              \
  }                                                                                                                    \
  template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,                  \
            bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>                            \
  __aicore__ inline void SoftmaxFlashV2(                                                                               \
      const LocalTensor<T>& dstTensor, const LocalTensor<T>& outReduceMax, const LocalTensor<T>& outExpSum,            \
      const LocalTensor<T>& outMax, const LocalTensor<T>& srcTensor, const LocalTensor<T>& outExpMax,                  \
      const LocalTensor<T>& inExpSum, const LocalTensor<T>& inMax, WORKSPACE const SoftMaxTiling& tiling,              \
      const SoftMaxShapeInfo& softmaxShapeInfo = {}, KS_SITE) {                                                        \
    KS_TYPES("SoftmaxFlashV2", T, half, float);                                                                        \
    static_assert(config.mode == SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC,                                              \
                  "SoftmaxFlashV2 puts out the maximum of its part in mode SOFTMAX_OUTPUT_WITHOUT_BRC only");          \
    ks::RunLibrary(                                                                                                    \
        KSE_LIB_SOFTMAX_FLASH2,                                                                                        \
        {ks::Ref(dstTensor), ks::Ref(outExpSum), ks::Ref(outMax), ks::Ref(outExpMax), ks::Ref(outReduceMax)},          \
        {ks::Ref(srcTensor), ks::Ref(inExpSum), ks::Ref(inMax)}, ks::SoftMaxSizes(softmaxShapeInfo, tiling, config),   \
        site.In("SoftmaxFlashV2"), ks::SoftMaxOptions(isDataFormatNZ, config, isUpdate));                              \
  }                                                                                                                    \
  template <typename T, typename U, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,      \
            bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>                            \
  __aicore__ inline void SoftmaxFlashV3(                                                                               \
      const LocalTensor<T>& dstTensor, const LocalTensor<U>& meanTensor, const LocalTensor<U>& expSumTensor,           \
      const LocalTensor<U>& maxTensor, const LocalTensor<T>& srcTensor, const LocalTensor<T>& expMaxTensor,            \
      const LocalTensor<U>& inMeanTensor, const LocalTensor<U>& inExpSumTensor, const LocalTensor<U>& inMaxTensor,     \
      WORKSPACE const SoftMaxTiling& tiling, const SoftMaxParams& params, KS_SITE) {                                   \
    KS_TYPES("SoftmaxFlashV3", T, half);                                                                               \
    KS_TYPES("SoftmaxFlashV3", U, float);                                                                              \
    ks::RunLibrary(                                                                                                    \
        KSE_LIB_SOFTMAX_FLASH3,                                                                                        \
        {ks::Ref(dstTensor), ks::Ref(expSumTensor), ks::Ref(maxTensor), ks::Ref(expMaxTensor), ks::Ref(meanTensor)},   \
        {ks::Ref(srcTensor), ks::Ref(inExpSumTensor), ks::Ref(inMaxTensor), ks::Ref(inMeanTensor)},                    \
        {{params.srcM, params.srcK, params.oriSrcK, params.oriSrcM, params.loopCnt, params.splitMeanCnt}},             \
        site.In("SoftmaxFlashV3"), isUpdate ? KSE_SOFTMAX_UPDATE : 0, {{params.alpha}});                               \
  }                                                                                                                    \
  template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>                                       \
  __aicore__ inline void SoftmaxGrad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,                \
                                     const LocalTensor<T>& srcTensor, WORKSPACE const SoftMaxTiling& tiling,           \
                                     bool isFront = false, const SoftMaxShapeInfo& softmaxShapeInfo = {}, KS_SITE) {   \
    KS_TYPES("SoftmaxGrad", T, half, float);                                                                           \
    ks::RunLibrary(KSE_LIB_SOFTMAX_GRAD, {ks::Ref(dstTensor)}, {ks::Ref(gradTensor), ks::Ref(srcTensor)},              \
                   ks::SoftMaxSizes(softmaxShapeInfo, tiling), site.In("SoftmaxGrad"),                                 \
                   (isFront ? KSE_SOFTMAX_FRONT : 0) | (isDataFormatNZ ? KSE_SOFTMAX_FRACTAL : 0));                    \
  }                                                                                                                    \
  template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false>                                        \
  __aicore__ inline void SoftmaxGradFront(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,           \
                                          const LocalTensor<T>& srcTensor, WORKSPACE const SoftMaxTiling& tiling,      \
                                          const SoftMaxShapeInfo& softmaxShapeInfo = {}, KS_SITE) {                    \
    KS_TYPES("SoftmaxGradFront", T, half, float);                                                                      \
    ks::RunLibrary(KSE_LIB_SOFTMAX_GRAD, {ks::Ref(dstTensor)}, {ks::Ref(gradTensor), ks::Ref(srcTensor)},              \
                   ks::SoftMaxSizes(softmaxShapeInfo, tiling), site.In("SoftmaxGradFront"),                            \
                   KSE_SOFTMAX_FRONT | (isDataFormatNZ ? KSE_SOFTMAX_FRACTAL : 0));                                    \
  }
KS_SOFTMAX(KS_WORKSPACE)
KS_SOFTMAX()
#undef KS_SOFTMAX

template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
__aicore__ inline void LogSoftMax(const LocalTensor<T>& dst, const LocalTensor<T>& sum, const LocalTensor<T>& max,
                                  const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer,
                                  const LogSoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {},
                                  KS_SITE) {
  KS_TYPES("LogSoftMax", T, half, float);
  ks::RunLibrary(KSE_LIB_LOG_SOFTMAX, {ks::Ref(dst), ks::Ref(sum), ks::Ref(max)}, {ks::Ref(src)},
                 ks::SoftMaxSizes(softmaxShapeInfo, tiling), site.In("LogSoftMax"),
                 isDataFormatNZ ? KSE_SOFTMAX_FRACTAL : 0);
}

// Rows whose maximum has the bits `from` become `to`. True if there was one.
template <typename T1, typename T2, bool isDataFormatNZ = false, uint8_t stepSizeMode = 0>
__aicore__ inline bool AdjustSoftMaxRes(const LocalTensor<T1>& softMaxRes, const LocalTensor<T2>& maxTensor,
                                        const uint32_t from, const T1 to, const SoftMaxShapeInfo& softmaxShapeInfo,
                                        KS_SITE) {
  KS_TYPES("AdjustSoftMaxRes", T1, half, float);
  KS_TYPES("AdjustSoftMaxRes", T2, half, float);
  return ks::RunLibrary(
             KSE_LIB_ADJUST_SOFTMAX, {ks::Ref(softMaxRes)}, {ks::Ref(softMaxRes), ks::Ref(maxTensor)},
             {{softmaxShapeInfo.srcM, softmaxShapeInfo.srcK, softmaxShapeInfo.oriSrcK, softmaxShapeInfo.oriSrcM, from}},
             site.In("AdjustSoftMaxRes"),
             (isDataFormatNZ ? KSE_SOFTMAX_FRACTAL : 0) | (stepSizeMode != 0 ? KSE_SOFTMAX_ONE_A_ROW : 0),
             {{static_cast<float>(to)}}) != 0;
}

// What the functions take from a tiling, made in a kernel: the shape.
__aicore__ constexpr SoftMaxTiling SoftMaxFlashV2TilingFunc(const SoftMaxShapeInfo& shapeInfo, const uint32_t,
                                                            const uint32_t, const uint32_t, const bool = false,
                                                            const bool = false, const bool = false,
                                                            const bool = false) {
  SoftMaxTiling tiling{};
  tiling.srcM = shapeInfo.srcM;
  tiling.srcK = shapeInfo.srcK;
  tiling.srcSize = shapeInfo.srcM * shapeInfo.srcK;
  return tiling;
}

}  // namespace AscendC
