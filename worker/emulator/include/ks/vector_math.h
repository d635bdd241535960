// Element-wise mathematics of the high-level API: with or without a workspace, of a whole tensor or its first elements.
// The emulated card computes in float and rounds once; the workspace is not touched.
//
// Example:
//   AscendC::Tanh(y, x, workspace, 1024);
//   AscendC::Gelu(y, x, 1024);
//   AscendC::Power(y, x, 2.0f, 1024);
#pragma once

#include "ks/configs.h"
#include "ks/shared_modes.h"
#include "ks/vector_call.h"

namespace ks {

template <typename T>
__aicore__ inline void Unary(kse_vector_operation operation, const AscendC::LocalTensor<T>& dst,
                             const AscendC::LocalTensor<T>& src, uint32_t count, const kse_where& where,
                             uint64_t scalar = 0) {
  Elementwise(operation, OperandOf(dst), OperandOf(src), NoOperand(), CountLanes(count), scalar, where);
}
template <typename T>
__aicore__ inline void Binary(kse_vector_operation operation, const AscendC::LocalTensor<T>& dst,
                              const AscendC::LocalTensor<T>& a, const AscendC::LocalTensor<T>& b, uint32_t count,
                              const kse_where& where) {
  Elementwise(operation, OperandOf(dst), OperandOf(a), OperandOf(b), CountLanes(count), 0, where);
}

}  // namespace ks

namespace AscendC {

// Workspace and count, both may be left out.
#define KS_MATH(Name, OPERATION, CONFIG)                                                                       \
  template <typename T, bool isReuseSource = false, const auto& config = CONFIG>                               \
  __aicore__ inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                \
                              const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount, KS_SITE) { \
    KS_TYPES(#Name, T, half, float);                                                                           \
    ks::Unary(OPERATION, dstTensor, srcTensor, calCount, site.In(#Name));                                      \
  }                                                                                                            \
  template <typename T, bool isReuseSource = false, const auto& config = CONFIG>                               \
  __aicore__ inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                \
                              const LocalTensor<uint8_t>& sharedTmpBuffer, KS_SITE) {                          \
    KS_TYPES(#Name, T, half, float);                                                                           \
    ks::Unary(OPERATION, dstTensor, srcTensor, srcTensor.GetSize(), site.In(#Name));                           \
  }                                                                                                            \
  template <typename T, bool isReuseSource = false, const auto& config = CONFIG>                               \
  __aicore__ inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                \
                              const uint32_t calCount, KS_SITE) {                                              \
    KS_TYPES(#Name, T, half, float);                                                                           \
    ks::Unary(OPERATION, dstTensor, srcTensor, calCount, site.In(#Name));                                      \
  }                                                                                                            \
  template <typename T, bool isReuseSource = false, const auto& config = CONFIG>                               \
  __aicore__ inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, KS_SITE) {     \
    KS_TYPES(#Name, T, half, float);                                                                           \
    ks::Unary(OPERATION, dstTensor, srcTensor, srcTensor.GetSize(), site.In(#Name));                           \
  }
KS_MATH(Tanh, KSE_TANH, DEFAULT_TANH_CONFIG)
KS_MATH(Sigmoid, KSE_SIGMOID, ks::kNoConfig)
KS_MATH(Erf, KSE_ERF, defaultErfConfig)
KS_MATH(Erfc, KSE_ERFC, ks::kNoConfig)
KS_MATH(Sin, KSE_SIN, defaultSinConfig)
KS_MATH(Cos, KSE_COS, defaultCosConfig)
KS_MATH(Tan, KSE_TAN, ks::kNoConfig)
KS_MATH(Asin, KSE_ASIN, ks::kNoConfig)
KS_MATH(Acos, KSE_ACOS, ks::kNoConfig)
KS_MATH(Atan, KSE_ATAN, defaultAtanConfig)
KS_MATH(Sinh, KSE_SINH, ks::kNoConfig)
KS_MATH(Cosh, KSE_COSH, ks::kNoConfig)
KS_MATH(Asinh, KSE_ASINH, ks::kNoConfig)
KS_MATH(Acosh, KSE_ACOSH, ks::kNoConfig)
KS_MATH(Atanh, KSE_ATANH, ks::kNoConfig)
KS_MATH(Log, KSE_LN, ks::kNoConfig)
KS_MATH(Log2, KSE_LOG2, ks::kNoConfig)
KS_MATH(Log10, KSE_LOG10, ks::kNoConfig)
KS_MATH(Floor, KSE_FLOOR, ks::kNoConfig)
KS_MATH(Ceil, KSE_CEIL, ks::kNoConfig)
KS_MATH(Trunc, KSE_TRUNC, ks::kNoConfig)
KS_MATH(Round, KSE_ROUND, ks::kNoConfig)
KS_MATH(Frac, KSE_FRAC, ks::kNoConfig)
KS_MATH(Sign, KSE_SIGN, ks::kNoConfig)
#undef KS_MATH

#define KS_GELU(Name, OPERATION)                                                                                       \
  template <typename T, bool highPrecision = false, bool highPerformance = false>                                      \
  __aicore__ inline void Name(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,                          \
                              const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t dataSize, KS_SITE) {         \
    KS_TYPES(#Name, T, half, float);                                                                                   \
    ks::Unary(OPERATION, dstLocal, srcLocal, dataSize, site.In(#Name));                                                \
  }                                                                                                                    \
  template <typename T, bool highPrecision = false, bool highPerformance = false>                                      \
  __aicore__ inline void Name(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const uint32_t dataSize, \
                              KS_SITE) {                                                                               \
    KS_TYPES(#Name, T, half, float);                                                                                   \
    ks::Unary(OPERATION, dstLocal, srcLocal, dataSize, site.In(#Name));                                                \
  }
KS_GELU(Gelu, KSE_GELU)
KS_GELU(FasterGelu, KSE_FASTER_GELU)
#undef KS_GELU

// x / (1 + exp(-x)), and with exp(-scalar x).
template <typename T, bool isReuseSource = false>
__aicore__ inline void Silu(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, uint32_t dataSize,
                            KS_SITE) {
  KS_TYPES("Silu", T, half, float);
  ks::Unary(KSE_SWISH, dstLocal, srcLocal, dataSize, site.In("Silu"), ks::BitsOf<T>(T(1)));
}
template <typename T, bool isReuseSource = false>
__aicore__ inline void Swish(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, uint32_t dataSize,
                             const T scalarValue, KS_SITE) {
  KS_TYPES("Swish", T, half, float);
  ks::Unary(KSE_SWISH, dstLocal, srcLocal, dataSize, site.In("Swish"), ks::BitsOf<T>(scalarValue));
}

// Exp by a series of `taylorExpandLevel` terms on the card; the emulated one is exact to a rounding.
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
__aicore__ inline void Exp(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                           const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount, KS_SITE) {
  KS_TYPES("Exp", T, half, float);
  ks::Unary(KSE_EXP, dstLocal, srcLocal, calCount, site.In("Exp"));
}
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
__aicore__ inline void Exp(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const uint32_t calCount,
                           KS_SITE) {
  KS_TYPES("Exp", T, half, float);
  ks::Unary(KSE_EXP, dstLocal, srcLocal, calCount, site.In("Exp"));
}

// At most, and at least, the scalar.
#define KS_CLAMP(Name, OPERATION)                                                                                   \
  template <typename T, bool isReuseSource = false>                                                                 \
  __aicore__ inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                     \
                              const LocalTensor<uint8_t>& sharedTmpBuffer, const T scalar, const uint32_t calCount, \
                              KS_SITE) {                                                                            \
    KS_TYPES(#Name, T, half, float);                                                                                \
    ks::Unary(OPERATION, dstTensor, srcTensor, calCount, site.In(#Name), ks::BitsOf<T>(scalar));                    \
  }                                                                                                                 \
  template <typename T, bool isReuseSource = false>                                                                 \
  __aicore__ inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const T scalar,     \
                              const uint32_t calCount, KS_SITE) {                                                   \
    KS_TYPES(#Name, T, half, float);                                                                                \
    ks::Unary(OPERATION, dstTensor, srcTensor, calCount, site.In(#Name), ks::BitsOf<T>(scalar));                    \
  }
KS_CLAMP(ClampMax, KSE_MINS)
KS_CLAMP(ClampMin, KSE_MAXS)
#undef KS_CLAMP

// Two tensors.
#define KS_MATH_BINARY(Name, OPERATION, CONFIG, ...)                                                         \
  template <typename T, bool isReuseSource = false, const auto& config = CONFIG>                             \
  __aicore__ inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,             \
                              const LocalTensor<T>& src1Tensor, const LocalTensor<uint8_t>& sharedTmpBuffer, \
                              const uint32_t calCount, KS_SITE) {                                            \
    KS_TYPES(#Name, T, __VA_ARGS__);                                                                         \
    ks::Binary(OPERATION, dstTensor, src0Tensor, src1Tensor, calCount, site.In(#Name));                      \
  }                                                                                                          \
  template <typename T, bool isReuseSource = false, const auto& config = CONFIG>                             \
  __aicore__ inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,             \
                              const LocalTensor<T>& src1Tensor, const LocalTensor<uint8_t>& sharedTmpBuffer, \
                              KS_SITE) {                                                                     \
    KS_TYPES(#Name, T, __VA_ARGS__);                                                                         \
    ks::Binary(OPERATION, dstTensor, src0Tensor, src1Tensor, src0Tensor.GetSize(), site.In(#Name));          \
  }                                                                                                          \
  template <typename T, bool isReuseSource = false, const auto& config = CONFIG>                             \
  __aicore__ inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,             \
                              const LocalTensor<T>& src1Tensor, const uint32_t calCount, KS_SITE) {          \
    KS_TYPES(#Name, T, __VA_ARGS__);                                                                         \
    ks::Binary(OPERATION, dstTensor, src0Tensor, src1Tensor, calCount, site.In(#Name));                      \
  }                                                                                                          \
  template <typename T, bool isReuseSource = false, const auto& config = CONFIG>                             \
  __aicore__ inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,             \
                              const LocalTensor<T>& src1Tensor, KS_SITE) {                                   \
    KS_TYPES(#Name, T, __VA_ARGS__);                                                                         \
    ks::Binary(OPERATION, dstTensor, src0Tensor, src1Tensor, src0Tensor.GetSize(), site.In(#Name));          \
  }
KS_MATH_BINARY(Power, KSE_POWER, defaultPowerConfig, half, float, int32_t)
KS_MATH_BINARY(Fmod, KSE_FMOD, DEFAULT_FMOD_CONFIG, half, float)
KS_MATH_BINARY(Xor, KSE_XOR, ks::kNoConfig, int16_t, uint16_t)
#undef KS_MATH_BINARY

// A tensor to a scalar power, and a scalar to the powers of a tensor.
#define KS_POWER(OPERATION, first, second, tensor, scalar)                                                   \
  template <typename T, bool isReuseSource = false, const auto& config = defaultPowerConfig>                 \
  __aicore__ inline void Power(const LocalTensor<T>& dstTensor, first, second,                               \
                               const LocalTensor<uint8_t>& sharedTmpBuffer, uint32_t calCount, KS_SITE) {    \
    KS_TYPES("Power", T, half, float, int32_t);                                                              \
    ks::Unary(OPERATION, dstTensor, tensor, calCount, site.In("Power"), ks::BitsOf<T>(scalar));              \
  }                                                                                                          \
  template <typename T, bool isReuseSource = false, const auto& config = defaultPowerConfig>                 \
  __aicore__ inline void Power(const LocalTensor<T>& dstTensor, first, second,                               \
                               const LocalTensor<uint8_t>& sharedTmpBuffer, KS_SITE) {                       \
    KS_TYPES("Power", T, half, float, int32_t);                                                              \
    ks::Unary(OPERATION, dstTensor, tensor, tensor.GetSize(), site.In("Power"), ks::BitsOf<T>(scalar));      \
  }                                                                                                          \
  template <typename T, bool isReuseSource = false, const auto& config = defaultPowerConfig>                 \
  __aicore__ inline void Power(const LocalTensor<T>& dstTensor, first, second, uint32_t calCount, KS_SITE) { \
    KS_TYPES("Power", T, half, float, int32_t);                                                              \
    ks::Unary(OPERATION, dstTensor, tensor, calCount, site.In("Power"), ks::BitsOf<T>(scalar));              \
  }                                                                                                          \
  template <typename T, bool isReuseSource = false, const auto& config = defaultPowerConfig>                 \
  __aicore__ inline void Power(const LocalTensor<T>& dstTensor, first, second, KS_SITE) {                    \
    KS_TYPES("Power", T, half, float, int32_t);                                                              \
    ks::Unary(OPERATION, dstTensor, tensor, tensor.GetSize(), site.In("Power"), ks::BitsOf<T>(scalar));      \
  }
KS_POWER(KSE_POWER_SCALAR, const LocalTensor<T>& src0Tensor, const T& src1Scalar, src0Tensor, src1Scalar)
KS_POWER(KSE_SCALAR_POWER, const T& src0Scalar, const LocalTensor<T>& src1Tensor, src1Tensor, src0Scalar)
#undef KS_POWER

// y += scalar * x, with the workspace of the high-level function.
template <typename T, typename U, bool isReuseSource = false>
__aicore__ inline void Axpy(const LocalTensor<T>& dstTensor, const LocalTensor<U>& srcTensor, const U scalarValue,
                            const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount, KS_SITE) {
  static_assert(
      (std::is_same_v<T, U> || std::is_same_v<T, float>)&&ks::kOneOf<T, half, float> && ks::kOneOf<U, half, float>,
      "Axpy: these element types are not supported on dav-2201; supported are half, float, half into float");
  ks::Elementwise(KSE_AXPY, ks::OperandOf(dstTensor), ks::OperandOf(srcTensor), ks::NoOperand(),
                  ks::CountLanes(calCount), ks::BitsOf<U>(scalarValue), site.In("Axpy"));
}

}  // namespace AscendC
