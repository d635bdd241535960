// One source tensor: Exp and its relatives, in three forms each.
//
// Example:
//   AscendC::Exp(y, x, 1024);
//   AscendC::Exp(y, x, mask, 4, {1, 1, 8, 8});
#pragma once

#include "ks/configs.h"
#include "ks/vector_call.h"

namespace AscendC {

#define KS_UNARY(Name, OPERATION, CONFIG, ...)                                                                       \
  template <typename T, const auto& config = CONFIG>                                                                 \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count, KS_SITE) { \
    KS_TYPES(#Name, T, __VA_ARGS__);                                                                                 \
    ks::Elementwise(OPERATION, ks::OperandOf(dst), ks::OperandOf(src), ks::NoOperand(), ks::CountLanes(count), 0,    \
                    site.In(#Name));                                                                                 \
  }                                                                                                                  \
  template <typename T, bool isSetMask = true, const auto& config = CONFIG>                                          \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[],           \
                              const int32_t repeatTime, const UnaryRepeatParams& repeatParams, KS_SITE) {            \
    KS_TYPES(#Name, T, __VA_ARGS__);                                                                                 \
    ks::Elementwise(OPERATION, ks::OperandOf(dst, repeatParams.dstBlkStride, repeatParams.dstRepStride),             \
                    ks::OperandOf(src, repeatParams.srcBlkStride, repeatParams.srcRepStride), ks::NoOperand(),       \
                    ks::BitLanes<isSetMask, sizeof(ks::Prim<T>)>(mask, repeatTime), 0, site.In(#Name));              \
  }                                                                                                                  \
  template <typename T, bool isSetMask = true, const auto& config = CONFIG>                                          \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask,                   \
                              const int32_t repeatTime, const UnaryRepeatParams& repeatParams, KS_SITE) {            \
    KS_TYPES(#Name, T, __VA_ARGS__);                                                                                 \
    ks::Elementwise(OPERATION, ks::OperandOf(dst, repeatParams.dstBlkStride, repeatParams.dstRepStride),             \
                    ks::OperandOf(src, repeatParams.srcBlkStride, repeatParams.srcRepStride), ks::NoOperand(),       \
                    ks::PrefixLanes<isSetMask>(mask, repeatTime), 0, site.In(#Name));                                \
  }

KS_UNARY(Exp, KSE_EXP, DEFAULT_EXP_CONFIG, half, float)
KS_UNARY(Ln, KSE_LN, DEFAULT_LN_CONFIG, half, float)
KS_UNARY(Abs, KSE_ABS, ks::kNoConfig, half, float)
KS_UNARY(Reciprocal, KSE_RECIPROCAL, DEFAULT_RECIPROCAL_CONFIG, half, float)
KS_UNARY(Sqrt, KSE_SQRT, DEFAULT_SQRT_CONFIG, half, float)
KS_UNARY(Rsqrt, KSE_RSQRT, DEFAULT_RSQRT_CONFIG, half, float)
KS_UNARY(Not, KSE_NOT, ks::kNoConfig, int16_t, uint16_t)
KS_UNARY(Relu, KSE_RELU, ks::kNoConfig, half, int32_t, float)
#undef KS_UNARY

}  // namespace AscendC
