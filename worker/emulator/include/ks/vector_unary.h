// One source tensor: Exp and its relatives, in three forms each.
//
// Example:
//   AscendC::Exp(y, x, 1024);
//   AscendC::Exp(y, x, mask, 4, {1, 1, 8, 8});
#pragma once

#include "ks/vector_call.h"

namespace AscendC {

#define KS_UNARY(Name, OPERATION, ...)                                                                               \
  template <typename T>                                                                                              \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count, KS_SITE) { \
    KS_TYPES(#Name, T, __VA_ARGS__);                                                                                 \
    ks::Elementwise(OPERATION, ks::OperandOf(dst), ks::OperandOf(src), ks::NoOperand(), ks::CountLanes(count), 0,    \
                    site.In(#Name));                                                                                 \
  }                                                                                                                  \
  template <typename T, bool isSetMask = true>                                                                       \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[],           \
                              const int32_t repeatTime, const UnaryRepeatParams& repeatParams, KS_SITE) {            \
    KS_TYPES(#Name, T, __VA_ARGS__);                                                                                 \
    ks::Elementwise(OPERATION, ks::OperandOf(dst, repeatParams.dstBlkStride, repeatParams.dstRepStride),             \
                    ks::OperandOf(src, repeatParams.srcBlkStride, repeatParams.srcRepStride), ks::NoOperand(),       \
                    ks::BitLanes<isSetMask, sizeof(T)>(mask, repeatTime), 0, site.In(#Name));                        \
  }                                                                                                                  \
  template <typename T, bool isSetMask = true>                                                                       \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask,                   \
                              const int32_t repeatTime, const UnaryRepeatParams& repeatParams, KS_SITE) {            \
    KS_TYPES(#Name, T, __VA_ARGS__);                                                                                 \
    ks::Elementwise(OPERATION, ks::OperandOf(dst, repeatParams.dstBlkStride, repeatParams.dstRepStride),             \
                    ks::OperandOf(src, repeatParams.srcBlkStride, repeatParams.srcRepStride), ks::NoOperand(),       \
                    ks::PrefixLanes<isSetMask>(mask, repeatTime), 0, site.In(#Name));                                \
  }

KS_UNARY(Exp, KSE_EXP, half, float)
KS_UNARY(Ln, KSE_LN, half, float)
KS_UNARY(Abs, KSE_ABS, half, float)
KS_UNARY(Reciprocal, KSE_RECIPROCAL, half, float)
KS_UNARY(Sqrt, KSE_SQRT, half, float)
KS_UNARY(Rsqrt, KSE_RSQRT, half, float)
KS_UNARY(Not, KSE_NOT, int16_t, uint16_t)
KS_UNARY(Relu, KSE_RELU, half, int32_t, float)
#undef KS_UNARY

}  // namespace AscendC
