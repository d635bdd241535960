// Two source tensors: Add and its relatives, in three forms each (the first count elements; repeats with bits of a
// mask; repeats with the first lanes).
//
// Example:
//   AscendC::Add(z, x, y, 1024);
//   AscendC::Add(z, x, y, /*mask=*/128, /*repeatTime=*/8, {1, 1, 1, 8, 8, 8});
//   z = x + y;
#pragma once

#include "ks/configs.h"
#include "ks/vector_call.h"

namespace AscendC {

#define KS_BINARY(Name, OPERATION, CONFIG, ...)                                                                        \
  template <typename T, const auto& config = CONFIG>                                                                   \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,       \
                              const int32_t& count, KS_SITE) {                                                         \
    KS_TYPES(#Name, T, __VA_ARGS__);                                                                                   \
    ks::Elementwise(OPERATION, ks::OperandOf(dst), ks::OperandOf(src0), ks::OperandOf(src1), ks::CountLanes(count), 0, \
                    site.In(#Name));                                                                                   \
  }                                                                                                                    \
  template <typename T, bool isSetMask = true, const auto& config = CONFIG>                                            \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,       \
                              const uint64_t mask[], const int32_t repeatTime, const BinaryRepeatParams& repeatParams, \
                              KS_SITE) {                                                                               \
    KS_TYPES(#Name, T, __VA_ARGS__);                                                                                   \
    ks::Elementwise(OPERATION, ks::OperandOf(dst, repeatParams.dstBlkStride, repeatParams.dstRepStride),               \
                    ks::OperandOf(src0, repeatParams.src0BlkStride, repeatParams.src0RepStride),                       \
                    ks::OperandOf(src1, repeatParams.src1BlkStride, repeatParams.src1RepStride),                       \
                    ks::BitLanes<isSetMask, sizeof(ks::Prim<T>)>(mask, repeatTime), 0, site.In(#Name));                \
  }                                                                                                                    \
  template <typename T, bool isSetMask = true, const auto& config = CONFIG>                                            \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,       \
                              uint64_t mask, const int32_t repeatTime, const BinaryRepeatParams& repeatParams,         \
                              KS_SITE) {                                                                               \
    KS_TYPES(#Name, T, __VA_ARGS__);                                                                                   \
    ks::Elementwise(OPERATION, ks::OperandOf(dst, repeatParams.dstBlkStride, repeatParams.dstRepStride),               \
                    ks::OperandOf(src0, repeatParams.src0BlkStride, repeatParams.src0RepStride),                       \
                    ks::OperandOf(src1, repeatParams.src1BlkStride, repeatParams.src1RepStride),                       \
                    ks::PrefixLanes<isSetMask>(mask, repeatTime), 0, site.In(#Name));                                  \
  }

KS_BINARY(Add, KSE_ADD, ks::kNoConfig, int16_t, half, int32_t, float)
KS_BINARY(Sub, KSE_SUB, ks::kNoConfig, int16_t, half, int32_t, float)
KS_BINARY(Mul, KSE_MUL, ks::kNoConfig, int16_t, half, int32_t, float)
KS_BINARY(Div, KSE_DIV, DEFAULT_DIV_CONFIG, half, float)
KS_BINARY(Max, KSE_MAX, ks::kNoConfig, int16_t, half, int32_t, float)
KS_BINARY(Min, KSE_MIN, ks::kNoConfig, int16_t, half, int32_t, float)
KS_BINARY(And, KSE_AND, ks::kNoConfig, int16_t, uint16_t)
KS_BINARY(Or, KSE_OR, ks::kNoConfig, int16_t, uint16_t)
KS_BINARY(AddRelu, KSE_ADD_RELU, ks::kNoConfig, int16_t, half, float)
KS_BINARY(SubRelu, KSE_SUB_RELU, ks::kNoConfig, int16_t, half, float)
KS_BINARY(FusedMulAdd, KSE_FUSED_MUL_ADD, ks::kNoConfig, half, float)
KS_BINARY(FusedMulAddRelu, KSE_FUSED_MUL_ADD_RELU, ks::kNoConfig, half, float)
KS_BINARY(MulAddRelu, KSE_FUSED_MUL_ADD_RELU, ks::kNoConfig, half, float)
#undef KS_BINARY

// Sources and destination of different types: MulAddDst (dst += src0 * src1) and arithmetic that ends in a conversion.
#define KS_BINARY_MIXED(Name, OPERATION, allowed, text)                                                                \
  template <typename T, typename U>                                                                                    \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,       \
                              const int32_t& count, KS_SITE) {                                                         \
    static_assert(allowed, #Name ": these element types are not supported on dav-2201; supported are " text);          \
    ks::Elementwise(OPERATION, ks::OperandOf(dst), ks::OperandOf(src0), ks::OperandOf(src1), ks::CountLanes(count), 0, \
                    site.In(#Name));                                                                                   \
  }                                                                                                                    \
  template <typename T, typename U, bool isSetMask = true>                                                             \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,       \
                              const uint64_t mask[], const int32_t repeatTime, const BinaryRepeatParams& repeatParams, \
                              KS_SITE) {                                                                               \
    static_assert(allowed, #Name ": these element types are not supported on dav-2201; supported are " text);          \
    ks::Elementwise(OPERATION, ks::OperandOf(dst, repeatParams.dstBlkStride, repeatParams.dstRepStride),               \
                    ks::OperandOf(src0, repeatParams.src0BlkStride, repeatParams.src0RepStride),                       \
                    ks::OperandOf(src1, repeatParams.src1BlkStride, repeatParams.src1RepStride),                       \
                    ks::BitLanes<isSetMask, ks::kWidest<T, U>>(mask, repeatTime), 0, site.In(#Name));                  \
  }                                                                                                                    \
  template <typename T, typename U, bool isSetMask = true>                                                             \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,       \
                              uint64_t mask, const int32_t repeatTime, const BinaryRepeatParams& repeatParams,         \
                              KS_SITE) {                                                                               \
    static_assert(allowed, #Name ": these element types are not supported on dav-2201; supported are " text);          \
    ks::Elementwise(OPERATION, ks::OperandOf(dst, repeatParams.dstBlkStride, repeatParams.dstRepStride),               \
                    ks::OperandOf(src0, repeatParams.src0BlkStride, repeatParams.src0RepStride),                       \
                    ks::OperandOf(src1, repeatParams.src1BlkStride, repeatParams.src1RepStride),                       \
                    ks::PrefixLanes<isSetMask>(mask, repeatTime), 0, site.In(#Name));                                  \
  }

KS_BINARY_MIXED(MulAddDst, KSE_MUL_ADD_DST,
                (std::is_same_v<T, U> && ks::kOneOf<T, half, float>) ||
                    (std::is_same_v<T, float> && std::is_same_v<U, half>),
                "half, float, half into float")
KS_BINARY_MIXED(AddReluCast, KSE_ADD_RELU_CAST,
                (std::is_same_v<T, int8_t> && ks::kOneOf<U, half, int16_t>) ||
                    (std::is_same_v<T, half> && std::is_same_v<U, float>),
                "half or int16_t to int8_t, float to half")
KS_BINARY_MIXED(SubReluCast, KSE_SUB_RELU_CAST,
                (std::is_same_v<T, int8_t> && ks::kOneOf<U, half, int16_t>) ||
                    (std::is_same_v<T, half> && std::is_same_v<U, float>),
                "half or int16_t to int8_t, float to half")
KS_BINARY_MIXED(MulCast, KSE_MUL_CAST, (ks::kOneOf<T, int8_t, uint8_t> && std::is_same_v<U, half>),
                "half to int8_t or uint8_t")
KS_BINARY_MIXED(AddDeqRelu, KSE_ADD_DEQUANT_RELU, (std::is_same_v<T, half> && std::is_same_v<U, int32_t>),
                "int32_t to half")
#undef KS_BINARY_MIXED

#define KS_OPERATOR(symbol, Name, OPERATION, ...)                                                 \
  template <typename T>                                                                           \
  __aicore__ inline ks::BinaryExpression<T, OPERATION> operator symbol(const LocalTensor<T>& a,   \
                                                                       const LocalTensor<T>& b) { \
    KS_TYPES(#Name, T, __VA_ARGS__);                                                              \
    return {a, b, #Name};                                                                         \
  }

KS_OPERATOR(+, Add, KSE_ADD, int16_t, half, int32_t, float)
KS_OPERATOR(-, Sub, KSE_SUB, int16_t, half, int32_t, float)
KS_OPERATOR(*, Mul, KSE_MUL, int16_t, half, int32_t, float)
KS_OPERATOR(/, Div, KSE_DIV, half, float)
KS_OPERATOR(&, And, KSE_AND, int16_t, uint16_t)
KS_OPERATOR(|, Or, KSE_OR, int16_t, uint16_t)
#undef KS_OPERATOR

}  // namespace AscendC
