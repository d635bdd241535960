// Conversions between element types, of tensors and of scalars.
//
// Example:
//   AscendC::Cast(wide, narrow, AscendC::RoundMode::CAST_NONE, 1024);
//   AscendC::Cast(narrow, wide, AscendC::RoundMode::CAST_RINT, 1024);
#pragma once

#include "ks/vector_call.h"

namespace ks {

// Pairs of the documentation for Atlas A2; rounding modes are checked when the call runs.
template <typename To, typename From>
constexpr bool CastSupported() {
  using AscendC::int4b_t;
  if constexpr (std::is_same_v<From, int4b_t> || kOneOf<From, int8_t, uint8_t>) return std::is_same_v<To, half>;
  if constexpr (std::is_same_v<From, int16_t>) return kOneOf<To, half, float>;
  if constexpr (std::is_same_v<From, half>) return kOneOf<To, int4b_t, int8_t, uint8_t, int16_t, int32_t, float>;
  if constexpr (std::is_same_v<From, bfloat16_t>) return kOneOf<To, int32_t, float>;
  if constexpr (std::is_same_v<From, int32_t>) return kOneOf<To, int16_t, half, float, int64_t>;
  if constexpr (std::is_same_v<From, float>) return kOneOf<To, int16_t, half, bfloat16_t, int32_t, float, int64_t>;
  if constexpr (std::is_same_v<From, int64_t>) return kOneOf<To, int32_t, float>;
  return false;
}

// int32 to half goes through SetDeqScale.
template <typename To, typename From>
inline constexpr kse_vector_operation kCastOperation =
    std::is_same_v<To, half>&& std::is_same_v<From, int32_t> ? KSE_DEQUANT : KSE_CAST;

}  // namespace ks

namespace AscendC {

template <typename T, typename U>
__aicore__ inline void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode,
                            const uint32_t count, KS_SITE) {
  static_assert(ks::CastSupported<T, U>(), "Cast: this pair of element types is not supported on dav-2201");
  ks::Elementwise(ks::kCastOperation<T, U>, ks::OperandOf(dst), ks::OperandOf(src), ks::NoOperand(),
                  ks::CountLanes(count), 0, site.In("Cast"), roundMode);
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode,
                            const uint64_t mask[], const int32_t repeatTime, const UnaryRepeatParams& repeatParams,
                            KS_SITE) {
  static_assert(ks::CastSupported<T, U>(), "Cast: this pair of element types is not supported on dav-2201");
  ks::Elementwise(ks::kCastOperation<T, U>, ks::OperandOf(dst, repeatParams.dstBlkStride, repeatParams.dstRepStride),
                  ks::OperandOf(src, repeatParams.srcBlkStride, repeatParams.srcRepStride), ks::NoOperand(),
                  ks::BitLanes<isSetMask, ks::kWidest<T, U>>(mask, repeatTime), 0, site.In("Cast"), roundMode);
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode,
                            const uint64_t mask, const int32_t repeatTime, const UnaryRepeatParams& repeatParams,
                            KS_SITE) {
  static_assert(ks::CastSupported<T, U>(), "Cast: this pair of element types is not supported on dav-2201");
  ks::Elementwise(ks::kCastOperation<T, U>, ks::OperandOf(dst, repeatParams.dstBlkStride, repeatParams.dstRepStride),
                  ks::OperandOf(src, repeatParams.srcBlkStride, repeatParams.srcRepStride), ks::NoOperand(),
                  ks::PrefixLanes<isSetMask>(mask, repeatTime), 0, site.In("Cast"), roundMode);
}

// Scale of int32 to half.
__aicore__ inline void SetDeqScale(half scale) { kse_vector_set_deq_scale(ks::BitsOf(scale)); }

// int32 to half by that scale; the names before and since CANN 9.
template <typename T, typename U>
__aicore__ inline void CastDequant(const LocalTensor<T>& dst, const LocalTensor<U>& src, const uint32_t count,
                                   KS_SITE) {
  static_assert(std::is_same_v<T, half> && std::is_same_v<U, int32_t>,
                "CastDequant: the emulated card converts int32_t to half only");
  ks::Elementwise(KSE_DEQUANT, ks::OperandOf(dst), ks::OperandOf(src), ks::NoOperand(), ks::CountLanes(count), 0,
                  site.In("CastDequant"));
}
template <typename T, typename U>
__aicore__ inline void CastDeq(const LocalTensor<T>& dst, const LocalTensor<U>& src, const uint32_t count, KS_SITE) {
  static_assert(std::is_same_v<T, half> && std::is_same_v<U, int32_t>,
                "CastDeq: the emulated card converts int32_t to half only");
  ks::Elementwise(KSE_DEQUANT, ks::OperandOf(dst), ks::OperandOf(src), ks::NoOperand(), ks::CountLanes(count), 0,
                  site.In("CastDeq"));
}

// Scalars.
__aicore__ inline float Cast(const bfloat16_t& value) { return static_cast<float>(value); }
__aicore__ inline bfloat16_t Cast(const float& value) { return bfloat16_t(value); }
__aicore__ inline float ToFloat(const bfloat16_t& value) { return static_cast<float>(value); }
__aicore__ inline bfloat16_t ToBfloat16(const float& value) { return bfloat16_t(value); }

template <typename T, typename U, RoundMode roundMode>
__aicore__ inline U ScalarCast(T value) {
  constexpr bool kToInteger =
      std::is_same_v<U, int32_t> && (roundMode == RoundMode::CAST_ROUND || roundMode == RoundMode::CAST_CEIL ||
                                     roundMode == RoundMode::CAST_FLOOR || roundMode == RoundMode::CAST_RINT);
  constexpr bool kToHalf = std::is_same_v<U, half> && roundMode == RoundMode::CAST_ODD;
  static_assert(std::is_same_v<T, float> && (kToInteger || kToHalf),
                "ScalarCast: float to int32_t (ROUND, CEIL, FLOOR, RINT) or float to half (ODD) on dav-2201");
  return ks::FromBits<U>(kse_scalar_cast(value, ks::ElementOf<U>(), static_cast<uint8_t>(roundMode)));
}
template <typename T, typename U, RoundMode roundMode>
__aicore__ inline U Cast(T value) {
  return ScalarCast<T, U, roundMode>(value);
}

}  // namespace AscendC
