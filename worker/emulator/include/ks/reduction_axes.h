// Reductions of a matrix along one of its axes, running sums.
//
// Example:
//   const uint32_t shape[] = {8, 64};
//   AscendC::ReduceSum<float, AscendC::Pattern::Reduce::AR>(sums, x, workspace, shape, true);
#pragma once

#include "ks/library_call.h"
#include "ks/shared_modes.h"

namespace AscendC {

// A: the axis stays; R: it is reduced.
namespace Pattern::Reduce {
struct AR {
  static constexpr uint32_t ks_options = 0;
};
struct RA {
  static constexpr uint32_t ks_options = KSE_ALONG_ROWS;
};
}  // namespace Pattern::Reduce

#define KS_REDUCE_AXIS(Name, OPERATION, WORKSPACE, ...)                                                 \
  template <class T, class pattern, bool isReuseSource = false>                                         \
  __aicore__ inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,         \
                              WORKSPACE const uint32_t srcShape[], bool srcInnerPad, KS_SITE) {         \
    KS_TYPES(#Name, T, __VA_ARGS__);                                                                    \
    ks::RunLibrary(OPERATION, {ks::Ref(dstTensor)}, {ks::Ref(srcTensor)}, {{srcShape[0], srcShape[1]}}, \
                   site.In(#Name), pattern::ks_options);                                                \
  }
KS_REDUCE_AXIS(ReduceSum, KSE_LIB_REDUCE_SUM, KS_WORKSPACE, float)
KS_REDUCE_AXIS(ReduceSum, KSE_LIB_REDUCE_SUM, , float)
KS_REDUCE_AXIS(ReduceMean, KSE_LIB_REDUCE_MEAN, KS_WORKSPACE, float)
KS_REDUCE_AXIS(ReduceMean, KSE_LIB_REDUCE_MEAN, , float)
KS_REDUCE_AXIS(ReduceMax, KSE_LIB_REDUCE_MAX, KS_WORKSPACE, half, float)
KS_REDUCE_AXIS(ReduceMax, KSE_LIB_REDUCE_MAX, , half, float)
KS_REDUCE_AXIS(ReduceMin, KSE_LIB_REDUCE_MIN, KS_WORKSPACE, half, float)
KS_REDUCE_AXIS(ReduceMin, KSE_LIB_REDUCE_MIN, , half, float)
KS_REDUCE_AXIS(ReduceProd, KSE_LIB_REDUCE_PROD, KS_WORKSPACE, float)
KS_REDUCE_AXIS(ReduceProd, KSE_LIB_REDUCE_PROD, , float)
KS_REDUCE_AXIS(ReduceAny, KSE_LIB_REDUCE_ANY, KS_WORKSPACE, uint8_t, float)
KS_REDUCE_AXIS(ReduceAny, KSE_LIB_REDUCE_ANY, , uint8_t, float)
KS_REDUCE_AXIS(ReduceAll, KSE_LIB_REDUCE_ALL, KS_WORKSPACE, uint8_t, float)
KS_REDUCE_AXIS(ReduceAll, KSE_LIB_REDUCE_ALL, , uint8_t, float)
#undef KS_REDUCE_AXIS

// Sum of src0 xor src1, saturated.
template <typename T, bool isReuseSource = false>
__aicore__ inline void ReduceXorSum(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,
                                    const LocalTensor<T>& src1Tensor, const uint32_t calCount, KS_SITE) {
  KS_TYPES("ReduceXorSum", T, int16_t);
  ks::RunLibrary(KSE_LIB_XOR_SUM, {ks::Ref(dstTensor)}, {ks::Ref(src0Tensor), ks::Ref(src1Tensor)}, {{calCount}},
                 site.In("ReduceXorSum"));
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void ReduceXorSum(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,
                                    const LocalTensor<T>& src1Tensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                                    const uint32_t calCount, KS_SITE) {
  ReduceXorSum<T, isReuseSource>(dstTensor, src0Tensor, src1Tensor, calCount, site);
}

enum class CumSumAlgorithm { CUMSUM_ALGORITHM_LINEBYLINE = 0, CUMSUM_ALGORITHM_SKLANSKY = 1 };

struct CumSumConfig {
  bool isLastAxis{true};
  bool isReuseSource{false};
  bool outputLastRow{false};
  CumSumAlgorithm algorithm{CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE};
};
inline constexpr CumSumConfig defaultCumSumConfig = {true, false, false};

struct CumSumInfo {
  uint32_t outter{0};
  uint32_t inner{0};
};

template <typename T, const CumSumConfig& config = defaultCumSumConfig>
__aicore__ inline void CumSum(const LocalTensor<T>& dstTensor, const LocalTensor<T>& lastRowTensor,
                              const LocalTensor<T>& srcTensor, const CumSumInfo& cumSumInfo, KS_SITE) {
  KS_TYPES("CumSum", T, half, float);
  ks::RunLibrary(KSE_LIB_CUMSUM, {ks::Ref(dstTensor), config.outputLastRow ? ks::Ref(lastRowTensor) : nullptr},
                 {ks::Ref(srcTensor)}, {{cumSumInfo.outter, cumSumInfo.inner}}, site.In("CumSum"),
                 config.isLastAxis ? 0 : KSE_ALONG_ROWS);
}
template <typename T, const CumSumConfig& config = defaultCumSumConfig>
__aicore__ inline void CumSum(const LocalTensor<T>& dstTensor, const LocalTensor<T>& lastRowTensor,
                              const LocalTensor<T>& srcTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                              const CumSumInfo& cumSumInfo, KS_SITE) {
  CumSum<T, config>(dstTensor, lastRowTensor, srcTensor, cumSumInfo, site);
}

}  // namespace AscendC
