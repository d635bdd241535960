// Normalisations: LayerNorm and its gradients, RmsNorm, DeepNorm, BatchNorm, GroupNorm, Normalize, Welford.
//
// Example:
//   AscendC::RmsNorm<half>(y, x, gamma, workspace, half(1e-6), tiling);
#pragma once

#include "ks/library_call.h"
#include "ks/reduction_axes.h"
#include "ks/tiling_structures.h"

namespace AscendC {

struct LayerNormConfig {
  bool isNoBeta = false;
  bool isNoGamma = false;
  bool isOnlyOutput = false;
  bool isOutputRstd = true;
};
inline constexpr LayerNormConfig LNCFG_NORM = {false, false, false, true};
inline constexpr LayerNormConfig LNCFG_NOBETA = {true, false, false, true};
inline constexpr LayerNormConfig LNCFG_NOGAMMA = {false, true, false, true};

struct LayerNormPara {
  uint32_t aLength;
  uint32_t rLength;
  uint32_t rLengthWithPadding;
};

struct NormalizeConfig {
  ReducePattern reducePattern = ReducePattern::AR;
  int32_t aLength = -1;
  bool isNoBeta = false;
  bool isNoGamma = false;
  bool isOnlyOutput = false;
};
inline constexpr NormalizeConfig NLCFG_NORM = {ReducePattern::AR, -1, false, false, false};
inline constexpr NormalizeConfig NLCFG_NOBETA = {ReducePattern::AR, -1, true, false, false};
inline constexpr NormalizeConfig NLCFG_NOGAMMA = {ReducePattern::AR, -1, false, true, false};

struct NormalizePara {
  uint32_t aLength;
  uint32_t rLength;
  uint32_t rLengthWithPadding;
};

struct LayerNormGradShapeInfo {
  DataFormat dataFormat = DataFormat::ND;
};

struct WelfordUpdateConfig {
  bool isInplace = false;
};
inline constexpr WelfordUpdateConfig WFUPDATE_DEFAULT_CFG = {false};

struct WelfordUpdateParam {
  uint32_t rnLength;
  uint32_t abLength;
  uint32_t abComputeLength;
  float nRec;
};

struct WelfordFinalizeConfig {
  bool isCorrection = false;
};
inline constexpr WelfordFinalizeConfig WFFINALIZE_DEFAULT_CFG = {false};

struct WelfordFinalizePara {
  uint32_t rnLength;
  uint32_t abLength;
  uint32_t headCount;
  uint32_t headCountLength;
  uint32_t tailCount;
  uint32_t tailCountLength;
  float abRec;
  float rRec;
  float rRecWithCorrection;
};

}  // namespace AscendC

namespace ks {

__aicore__ inline LibrarySizes NormSizes(const AscendC::tiling::NormShape& tiling) {
  return LibrarySizes{{tiling.bLength * tiling.sLength, tiling.hLength, tiling.originalHLength}};
}
KS_BOTH constexpr uint32_t NormOptions(bool no_gamma, bool no_beta) {
  return (no_gamma ? KSE_NORM_NO_GAMMA : 0) | (no_beta ? KSE_NORM_NO_BETA : 0);
}
__aicore__ inline LibrarySizes WelfordSizes(const AscendC::WelfordFinalizePara& para) {
  return LibrarySizes{
      {para.rnLength, para.abLength, para.headCount, para.headCountLength, para.tailCount, para.tailCountLength}};
}

}  // namespace ks

namespace AscendC {

#define KS_NORM(WORKSPACE)                                                                                             \
  template <typename T, bool isReuseSource = false>                                                                    \
  __aicore__ inline void LayerNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,                     \
                                   const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,                 \
                                   const LocalTensor<T>& gamma, const LocalTensor<T>& beta, WORKSPACE const T epsilon, \
                                   const LayerNormTiling& tiling, KS_SITE) {                                           \
    KS_TYPES("LayerNorm", T, half, float);                                                                             \
    ks::RunLibrary(KSE_LIB_LAYER_NORM, {ks::Ref(output), ks::Ref(outputMean), ks::Ref(outputVariance)},                \
                   {ks::Ref(inputX), ks::Ref(gamma), ks::Ref(beta)}, ks::NormSizes(tiling), site.In("LayerNorm"), 0,   \
                   {{static_cast<float>(epsilon)}});                                                                   \
  }                                                                                                                    \
  template <typename U, typename T, bool isReuseSource = false, const LayerNormConfig& config = LNCFG_NORM>            \
  __aicore__ inline void LayerNorm(                                                                                    \
      const LocalTensor<T>& output, const LocalTensor<float>& outputMean, const LocalTensor<float>& outputRstd,        \
      const LocalTensor<T>& inputX, const LocalTensor<U>& gamma, const LocalTensor<U>& beta, const float epsilon,      \
      WORKSPACE const LayerNormPara& para, const LayerNormSeparateTiling& tiling, KS_SITE) {                           \
    KS_TYPES("LayerNorm", T, half, float);                                                                             \
    KS_TYPES("LayerNorm", U, half, float);                                                                             \
    ks::RunLibrary(KSE_LIB_LAYER_NORM, {ks::Ref(output), ks::Ref(outputMean), ks::Ref(outputRstd)},                    \
                   {ks::Ref(inputX), ks::Ref(gamma), ks::Ref(beta)},                                                   \
                   {{para.aLength, para.rLengthWithPadding, para.rLength}}, site.In("LayerNorm"),                      \
                   ks::NormOptions(config.isNoGamma, config.isNoBeta) | (config.isOutputRstd ? KSE_NORM_RSTD : 0),     \
                   {{epsilon}});                                                                                       \
  }                                                                                                                    \
  template <typename U, typename T, bool isReuseSource = false, const NormalizeConfig& config = NLCFG_NORM>            \
  __aicore__ inline void Normalize(                                                                                    \
      const LocalTensor<T>& output, const LocalTensor<float>& outputRstd, const LocalTensor<float>& inputMean,         \
      const LocalTensor<float>& inputVariance, const LocalTensor<T>& inputX, const LocalTensor<U>& gamma,              \
      const LocalTensor<U>& beta, WORKSPACE const float epsilon, const NormalizePara& para, KS_SITE) {                 \
    KS_TYPES("Normalize", T, half, float);                                                                             \
    KS_TYPES("Normalize", U, half, float);                                                                             \
    ks::RunLibrary(KSE_LIB_NORMALIZE, {ks::Ref(output), ks::Ref(outputRstd)},                                          \
                   {ks::Ref(inputX), ks::Ref(inputMean), ks::Ref(inputVariance), ks::Ref(gamma), ks::Ref(beta)},       \
                   {{para.aLength, para.rLengthWithPadding, para.rLength}}, site.In("Normalize"),                      \
                   ks::NormOptions(config.isNoGamma, config.isNoBeta), {{epsilon}});                                   \
  }                                                                                                                    \
  template <typename T, bool isBasicBlock = false>                                                                     \
  __aicore__ inline void RmsNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,                       \
                                 const LocalTensor<T>& gammaLocal, WORKSPACE const T epsilon,                          \
                                 const RmsNormTiling& tiling, KS_SITE) {                                               \
    KS_TYPES("RmsNorm", T, half, float);                                                                               \
    ks::RunLibrary(KSE_LIB_RMS_NORM, {ks::Ref(dstLocal)}, {ks::Ref(srcLocal), ks::Ref(gammaLocal)},                    \
                   ks::NormSizes(tiling), site.In("RmsNorm"), 0, {{static_cast<float>(epsilon)}});                     \
  }                                                                                                                    \
  template <typename T, bool isReuseSrc = false, bool isBasicBlock = false>                                            \
  __aicore__ inline void DeepNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& meanLocal,                     \
                                  const LocalTensor<T>& rstdLocal, const LocalTensor<T>& srcLocal,                     \
                                  const LocalTensor<T>& gxLocal, const LocalTensor<T>& betaLocal,                      \
                                  const LocalTensor<T>& gammaLocal, WORKSPACE const T alpha, const T epsilon,          \
                                  const DeepNormTiling& tiling, KS_SITE) {                                             \
    KS_TYPES("DeepNorm", T, half, float);                                                                              \
    ks::RunLibrary(KSE_LIB_DEEP_NORM, {ks::Ref(dstLocal), ks::Ref(meanLocal), ks::Ref(rstdLocal)},                     \
                   {ks::Ref(srcLocal), ks::Ref(gxLocal), ks::Ref(gammaLocal), ks::Ref(betaLocal)},                     \
                   ks::NormSizes(tiling), site.In("DeepNorm"), 0,                                                      \
                   {{static_cast<float>(epsilon), static_cast<float>(alpha)}});                                        \
  }                                                                                                                    \
  template <typename T, bool isReuseSource = false, bool isBasicBlock = false>                                         \
  __aicore__ inline void BatchNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,                     \
                                   const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,                 \
                                   const LocalTensor<T>& gamm, const LocalTensor<T>& beta, WORKSPACE const T epsilon,  \
                                   const BatchNormTiling& tiling, KS_SITE) {                                           \
    KS_TYPES("BatchNorm", T, half, float);                                                                             \
    ks::RunLibrary(KSE_LIB_BATCH_NORM, {ks::Ref(output), ks::Ref(outputMean), ks::Ref(outputVariance)},                \
                   {ks::Ref(inputX), ks::Ref(gamm), ks::Ref(beta)}, {{tiling.originalBLength, tiling.meanVarSize}},    \
                   site.In("BatchNorm"), 0, {{static_cast<float>(epsilon)}});                                          \
  }                                                                                                                    \
  template <typename T, bool isReuseSource = false>                                                                    \
  __aicore__ inline void GroupNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,                     \
                                   const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,                 \
                                   const LocalTensor<T>& gamma, const LocalTensor<T>& beta, WORKSPACE const T epsilon, \
                                   const GroupNormTiling& tiling, KS_SITE) {                                           \
    KS_TYPES("GroupNorm", T, half, float);                                                                             \
    ks::RunLibrary(KSE_LIB_GROUP_NORM, {ks::Ref(output), ks::Ref(outputMean), ks::Ref(outputVariance)},                \
                   {ks::Ref(inputX), ks::Ref(gamma), ks::Ref(beta)},                                                   \
                   {{tiling.n, tiling.c, tiling.hw, tiling.g, tiling.hwAlignSize}}, site.In("GroupNorm"), 0,           \
                   {{static_cast<float>(epsilon)}});                                                                   \
  }                                                                                                                    \
  template <typename T, bool isReuseSource = false>                                                                    \
  __aicore__ inline void LayerNormGrad(                                                                                \
      const LocalTensor<T>& outputPdX, const LocalTensor<T>& resForGamma, const LocalTensor<T>& inputDy,               \
      const LocalTensor<T>& inputX, const LocalTensor<T>& inputVariance, const LocalTensor<T>& inputMean,              \
      const LocalTensor<T>& inputGamma, WORKSPACE T epsilon, const LayerNormGradTiling& tiling,                        \
      const LayerNormGradShapeInfo& shapeInfo = {}, KS_SITE) {                                                         \
    KS_TYPES("LayerNormGrad", T, half, float);                                                                         \
    ks::RunLibrary(                                                                                                    \
        KSE_LIB_LAYER_NORM_GRAD, {ks::Ref(outputPdX), ks::Ref(resForGamma)},                                           \
        {ks::Ref(inputDy), ks::Ref(inputX), ks::Ref(inputVariance), ks::Ref(inputMean), ks::Ref(inputGamma)},          \
        ks::NormSizes(tiling), site.In("LayerNormGrad"), 0, {{static_cast<float>(epsilon)}});                          \
  }                                                                                                                    \
  template <typename T, bool isReuseSource = false>                                                                    \
  __aicore__ inline void LayerNormGradBeta(const LocalTensor<T>& outputPdGamma, const LocalTensor<T>& outputPdBeta,    \
                                           const LocalTensor<T>& resForGamma, const LocalTensor<T>& inputDy,           \
                                           WORKSPACE const LayerNormGradBetaTiling& tiling, KS_SITE) {                 \
    KS_TYPES("LayerNormGradBeta", T, half, float);                                                                     \
    ks::RunLibrary(KSE_LIB_LAYER_NORM_GRAD_BETA, {ks::Ref(outputPdGamma), ks::Ref(outputPdBeta)},                      \
                   {ks::Ref(resForGamma), ks::Ref(inputDy)}, ks::NormSizes(tiling), site.In("LayerNormGradBeta"));     \
  }                                                                                                                    \
  template <typename T, typename U, bool isReuseSource = false,                                                        \
            const WelfordUpdateConfig& config = WFUPDATE_DEFAULT_CFG>                                                  \
  __aicore__ inline void WelfordUpdate(const LocalTensor<U>& outputMean, const LocalTensor<U>& outputVariance,         \
                                       const LocalTensor<U>& inputMean, const LocalTensor<U>& inputVariance,           \
                                       const LocalTensor<T>& inputX, WORKSPACE const WelfordUpdateParam& para,         \
                                       KS_SITE) {                                                                      \
    KS_TYPES("WelfordUpdate", T, half, float);                                                                         \
    KS_TYPES("WelfordUpdate", U, float);                                                                               \
    ks::RunLibrary(KSE_LIB_WELFORD_UPDATE, {ks::Ref(outputMean), ks::Ref(outputVariance)},                             \
                   {ks::Ref(inputMean), ks::Ref(inputVariance), ks::Ref(inputX)},                                      \
                   {{para.abLength, para.abComputeLength}}, site.In("WelfordUpdate"),                                  \
                   config.isInplace ? KSE_IN_PLACE : 0, {{para.nRec}});                                                \
  }                                                                                                                    \
  template <bool isReuseSource = false, const WelfordFinalizeConfig& config = WFFINALIZE_DEFAULT_CFG>                  \
  __aicore__ inline void WelfordFinalize(const LocalTensor<float>& outputMean,                                         \
                                         const LocalTensor<float>& outputVariance,                                     \
                                         const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance, \
                                         WORKSPACE const WelfordFinalizePara& para, KS_SITE) {                         \
    ks::RunLibrary(KSE_LIB_WELFORD_FINALIZE, {ks::Ref(outputMean), ks::Ref(outputVariance)},                           \
                   {ks::Ref(inputMean), ks::Ref(inputVariance)}, ks::WelfordSizes(para), site.In("WelfordFinalize"),   \
                   config.isCorrection ? KSE_NORM_RSTD : 0, {{para.abRec, para.rRec, para.rRecWithCorrection}});       \
  }                                                                                                                    \
  template <bool isReuseSource = false, const WelfordFinalizeConfig& config = WFFINALIZE_DEFAULT_CFG>                  \
  __aicore__ inline void WelfordFinalize(                                                                              \
      const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,                                  \
      const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,                                    \
      const LocalTensor<int32_t>& counts, WORKSPACE const WelfordFinalizePara& para, KS_SITE) {                        \
    ks::RunLibrary(KSE_LIB_WELFORD_FINALIZE, {ks::Ref(outputMean), ks::Ref(outputVariance)},                           \
                   {ks::Ref(inputMean), ks::Ref(inputVariance), ks::Ref(counts)}, ks::WelfordSizes(para),              \
                   site.In("WelfordFinalize"), config.isCorrection ? KSE_NORM_RSTD : 0,                                \
                   {{para.abRec, para.rRec, para.rRecWithCorrection}});                                                \
  }
KS_NORM(KS_WORKSPACE)
KS_NORM()
#undef KS_NORM

}  // namespace AscendC
