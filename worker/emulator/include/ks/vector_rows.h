// Sums and means of the rows of a matrix: `outter` rows of `n` elements, padded to `inner`.
//
// Example:
//   AscendC::Sum(sums, x, {8, 64, 60});
#pragma once

#include "ks/vector_call.h"

namespace AscendC {

struct SumParams {
  uint32_t outter = 1;
  uint32_t inner = 0;
  uint32_t n = 0;
};

struct MeanParams {
  uint32_t outter = 1;
  uint32_t inner = 0;
  uint32_t n = 0;
};

template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
__aicore__ inline void Sum(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const SumParams& sumParams,
                           KS_SITE) {
  KS_TYPES("Sum", T, half, float);
  const kse_where where = site.In("Sum");
  kse_vector_sum_rows(&dstTensor.ks, &srcTensor.ks, sumParams.outter, sumParams.inner, sumParams.n, false,
                      ks::ElementOf<T>(), &where);
}
template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
__aicore__ inline void Sum(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                           const LocalTensor<uint8_t>& sharedTmpBuffer, const SumParams& sumParams, KS_SITE) {
  Sum<T, reduceDim, isReuseSource, isBasicBlock>(dstTensor, srcTensor, sumParams, site);
}

// accType: what is computed in; half may be summed in float.
template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false,
          int32_t reduceDim = -1>
__aicore__ inline void Mean(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                            const MeanParams& meanParams, KS_SITE) {
  KS_TYPES("Mean", T, half, float);
  static_assert(std::is_same_v<accType, T> || std::is_same_v<accType, float>,
                "Mean: computes in the tensor's type or in float");
  const kse_where where = site.In("Mean");
  kse_vector_sum_rows(&dstTensor.ks, &srcTensor.ks, meanParams.outter, meanParams.inner, meanParams.n, true,
                      ks::ElementOf<accType>(), &where);
}
template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false,
          int32_t reduceDim = -1>
__aicore__ inline void Mean(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                            const LocalTensor<uint8_t>& sharedTmpBuffer, const MeanParams& meanParams, KS_SITE) {
  Mean<T, accType, isReuseSource, isBasicBlock, reduceDim>(dstTensor, srcTensor, meanParams, site);
}

}  // namespace AscendC
