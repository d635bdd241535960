// A source tensor and a scalar: Adds and its relatives, in three forms each.
//
// Example:
//   AscendC::Muls(y, x, half(2), 1024);
//   AscendC::Axpy(y, x, 0.5f, 1024);      // y += 0.5 x
//   AscendC::ShiftRight(y, x, 3u, 1024);
#pragma once

#include "ks/vector_call.h"

namespace AscendC {

#define KS_SCALAR(Name, OPERATION, ...)                                                                               \
  template <typename T, bool isSetMask = true>                                                                        \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue,             \
                              const int32_t& count, KS_SITE) {                                                        \
    KS_TYPES(#Name, T, __VA_ARGS__);                                                                                  \
    ks::Elementwise(OPERATION, ks::OperandOf(dst), ks::OperandOf(src), ks::NoOperand(),                               \
                    ks::CountLanes<isSetMask>(count), ks::BitsOf<T>(scalarValue), site.In(#Name));                    \
  }                                                                                                                   \
  template <typename T, bool isSetMask = true>                                                                        \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue,             \
                              const uint64_t mask[], const int32_t repeatTime, const UnaryRepeatParams& repeatParams, \
                              KS_SITE) {                                                                              \
    KS_TYPES(#Name, T, __VA_ARGS__);                                                                                  \
    ks::Elementwise(OPERATION, ks::OperandOf(dst, repeatParams.dstBlkStride, repeatParams.dstRepStride),              \
                    ks::OperandOf(src, repeatParams.srcBlkStride, repeatParams.srcRepStride), ks::NoOperand(),        \
                    ks::BitLanes<isSetMask, sizeof(ks::Prim<T>)>(mask, repeatTime), ks::BitsOf<T>(scalarValue),       \
                    site.In(#Name));                                                                                  \
  }                                                                                                                   \
  template <typename T, bool isSetMask = true>                                                                        \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue,             \
                              uint64_t mask, const int32_t repeatTime, const UnaryRepeatParams& repeatParams,         \
                              KS_SITE) {                                                                              \
    KS_TYPES(#Name, T, __VA_ARGS__);                                                                                  \
    ks::Elementwise(OPERATION, ks::OperandOf(dst, repeatParams.dstBlkStride, repeatParams.dstRepStride),              \
                    ks::OperandOf(src, repeatParams.srcBlkStride, repeatParams.srcRepStride), ks::NoOperand(),        \
                    ks::PrefixLanes<isSetMask>(mask, repeatTime), ks::BitsOf<T>(scalarValue), site.In(#Name));        \
  }

// Tensors of a TensorTrait, whose scalars are of the type it describes.
#define KS_SCALAR_TRAIT(Name)                                                                                         \
  template <typename T, typename U, bool isSetMask = true,                                                            \
            std::enable_if_t<!std::is_same_v<T, U> && std::is_same_v<PrimT<T>, U>, bool> = true>                      \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const U& scalarValue,             \
                              const int32_t& count, KS_SITE) {                                                        \
    Name<U, isSetMask>(LocalTensor<U>(dst.ks), LocalTensor<U>(src.ks), scalarValue, count, site);                     \
  }                                                                                                                   \
  template <typename T, typename U, bool isSetMask = true,                                                            \
            std::enable_if_t<!std::is_same_v<T, U> && std::is_same_v<PrimT<T>, U>, bool> = true>                      \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const U& scalarValue,             \
                              const uint64_t mask[], const int32_t repeatTime, const UnaryRepeatParams& repeatParams, \
                              KS_SITE) {                                                                              \
    Name<U, isSetMask>(LocalTensor<U>(dst.ks), LocalTensor<U>(src.ks), scalarValue, mask, repeatTime, repeatParams,   \
                       site);                                                                                         \
  }                                                                                                                   \
  template <typename T, typename U, bool isSetMask = true,                                                            \
            std::enable_if_t<!std::is_same_v<T, U> && std::is_same_v<PrimT<T>, U>, bool> = true>                      \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const U& scalarValue,             \
                              uint64_t mask, const int32_t repeatTime, const UnaryRepeatParams& repeatParams,         \
                              KS_SITE) {                                                                              \
    Name<U, isSetMask>(LocalTensor<U>(dst.ks), LocalTensor<U>(src.ks), scalarValue, mask, repeatTime, repeatParams,   \
                       site);                                                                                         \
  }

KS_SCALAR(Adds, KSE_ADDS, int16_t, half, int32_t, float)
KS_SCALAR(Muls, KSE_MULS, int16_t, half, int32_t, float)
KS_SCALAR(Maxs, KSE_MAXS, int16_t, half, int32_t, float)
KS_SCALAR(Mins, KSE_MINS, int16_t, half, int32_t, float)
KS_SCALAR(LeakyRelu, KSE_LEAKY_RELU, half, float)
KS_SCALAR(ShiftLeft, KSE_SHIFT_LEFT, int16_t, uint16_t, int32_t, uint32_t)
#undef KS_SCALAR
KS_SCALAR_TRAIT(Adds)
KS_SCALAR_TRAIT(Muls)
KS_SCALAR_TRAIT(Maxs)
KS_SCALAR_TRAIT(Mins)
KS_SCALAR_TRAIT(LeakyRelu)
KS_SCALAR_TRAIT(ShiftLeft)
#undef KS_SCALAR_TRAIT

template <typename T, bool isSetMask = true>
__aicore__ inline void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue,
                                  const int32_t& count, KS_SITE) {
  KS_TYPES("ShiftRight", T, int16_t, uint16_t, int32_t, uint32_t);
  ks::Elementwise(KSE_SHIFT_RIGHT, ks::OperandOf(dst), ks::OperandOf(src), ks::NoOperand(),
                  ks::CountLanes<isSetMask>(count), ks::BitsOf<T>(scalarValue), site.In("ShiftRight"));
}
template <typename T, bool isSetMask = true>
__aicore__ inline void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue,
                                  const uint64_t mask[], const int32_t repeatTime,
                                  const UnaryRepeatParams& repeatParams, bool roundEn = false, KS_SITE) {
  KS_TYPES("ShiftRight", T, int16_t, uint16_t, int32_t, uint32_t);
  ks::Elementwise(roundEn ? KSE_SHIFT_RIGHT_ROUND : KSE_SHIFT_RIGHT,
                  ks::OperandOf(dst, repeatParams.dstBlkStride, repeatParams.dstRepStride),
                  ks::OperandOf(src, repeatParams.srcBlkStride, repeatParams.srcRepStride), ks::NoOperand(),
                  ks::BitLanes<isSetMask, sizeof(ks::Prim<T>)>(mask, repeatTime), ks::BitsOf<T>(scalarValue),
                  site.In("ShiftRight"));
}
template <typename T, bool isSetMask = true>
__aicore__ inline void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue,
                                  uint64_t mask, const int32_t repeatTime, const UnaryRepeatParams& repeatParams,
                                  bool roundEn = false, KS_SITE) {
  KS_TYPES("ShiftRight", T, int16_t, uint16_t, int32_t, uint32_t);
  ks::Elementwise(roundEn ? KSE_SHIFT_RIGHT_ROUND : KSE_SHIFT_RIGHT,
                  ks::OperandOf(dst, repeatParams.dstBlkStride, repeatParams.dstRepStride),
                  ks::OperandOf(src, repeatParams.srcBlkStride, repeatParams.srcRepStride), ks::NoOperand(),
                  ks::PrefixLanes<isSetMask>(mask, repeatTime), ks::BitsOf<T>(scalarValue), site.In("ShiftRight"));
}

namespace ks_internal {
template <typename T, typename U>
inline constexpr bool kAxpyTypes = (std::is_same_v<T, U> && ks::kOneOf<T, half, float>) ||
                                   (std::is_same_v<T, float> && std::is_same_v<U, half>);
}
#define KS_AXPY_TYPES                          \
  static_assert(ks_internal::kAxpyTypes<T, U>, \
                "Axpy: these element types are not supported on dav-2201; supported are half, float, half into float")

// dst += scalar * src.
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue,
                            const int32_t& count, KS_SITE) {
  KS_AXPY_TYPES;
  ks::Elementwise(KSE_AXPY, ks::OperandOf(dst), ks::OperandOf(src), ks::NoOperand(), ks::CountLanes<isSetMask>(count),
                  ks::BitsOf<U>(scalarValue), site.In("Axpy"));
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue,
                            const uint64_t mask[], const int32_t repeatTime, const UnaryRepeatParams& repeatParams,
                            KS_SITE) {
  KS_AXPY_TYPES;
  ks::Elementwise(KSE_AXPY, ks::OperandOf(dst, repeatParams.dstBlkStride, repeatParams.dstRepStride),
                  ks::OperandOf(src, repeatParams.srcBlkStride, repeatParams.srcRepStride), ks::NoOperand(),
                  ks::BitLanes<isSetMask, ks::kWidest<T, U>>(mask, repeatTime), ks::BitsOf<U>(scalarValue),
                  site.In("Axpy"));
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, uint64_t mask,
                            const int32_t repeatTime, const UnaryRepeatParams& repeatParams, KS_SITE) {
  KS_AXPY_TYPES;
  ks::Elementwise(KSE_AXPY, ks::OperandOf(dst, repeatParams.dstBlkStride, repeatParams.dstRepStride),
                  ks::OperandOf(src, repeatParams.srcBlkStride, repeatParams.srcRepStride), ks::NoOperand(),
                  ks::PrefixLanes<isSetMask>(mask, repeatTime), ks::BitsOf<U>(scalarValue), site.In("Axpy"));
}
#undef KS_AXPY_TYPES

}  // namespace AscendC
