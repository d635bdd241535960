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
  if constexpr (!std::is_same_v<To, Prim<To>> || !std::is_same_v<From, Prim<From>>) {
    return CastSupported<Prim<To>, Prim<From>>();
  }
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
    std::is_same_v<Prim<To>, half>&& std::is_same_v<Prim<From>, int32_t> ? KSE_DEQUANT : KSE_CAST;

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

// Scales, offsets and kinds of result of the sixteen elements of a block.
struct VdeqInfo {
  __aicore__ VdeqInfo() {}
  __aicore__ VdeqInfo(const float scales[16], const int16_t offsets[16], const bool signs[16]) {
    for (int i = 0; i < 16; ++i) {
      vdeqScale[i] = scales[i];
      vdeqOffset[i] = offsets[i];
      vdeqSignMode[i] = signs[i];
    }
  }

  float vdeqScale[16] = {};
  int16_t vdeqOffset[16] = {};
  bool vdeqSignMode[16] = {};
};

}  // namespace AscendC

namespace ks {

// Offset in bits 37 to 45, sign in 46.
__aicore__ inline uint64_t DeqScaleWord(float scale, int16_t offset, bool sign) {
  return BitsOf(scale) | (static_cast<uint64_t>(offset) & 0x1ff) << 37 | uint64_t{sign} << 46;
}

template <typename T, typename U, bool kByLane, bool kUpper>
__aicore__ inline void CastDequantised(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<U>& src,
                                       const kse_lanes& lanes, uint32_t dst_block, uint32_t dst_repeat,
                                       uint32_t src_block, uint32_t src_repeat, const kse_where& where) {
  static_assert(
      (std::is_same_v<T, half> && std::is_same_v<U, int32_t>) ||
          (kOneOf<T, int8_t, uint8_t> && std::is_same_v<U, int16_t>),
      "CastDequant: these element types are not supported on dav-2201; supported are int32_t to half, int16_t to "
      "int8_t or uint8_t");
  const kse_operand to = OperandOf(dst, dst_block, dst_repeat);
  const kse_operand from = OperandOf(src, src_block, src_repeat);
  if constexpr (std::is_same_v<T, half>) {
    Elementwise(KSE_DEQUANT, to, from, NoOperand(), lanes, 0, where);
  } else {
    kse_vector_dequantise(&to, &from, &lanes, kByLane, kUpper, &where);
  }
}

}  // namespace ks

namespace AscendC {

// Of int16 to bytes: for all elements, and for each of a block. `vdeq` keeps them in UB: 128 bytes.
__aicore__ inline void SetDeqScale(float scale, int16_t offset, bool signMode) {
  kse_vector_set_deq_scale(ks::DeqScaleWord(scale, offset, signMode));
}
template <typename T>
__aicore__ inline void SetDeqScale(const LocalTensor<T>& vdeq, const VdeqInfo& vdeqInfo, KS_SITE) {
  KS_TYPES("SetDeqScale", T, uint64_t);
  const kse_where where = site.In("SetDeqScale");
  for (int i = 0; i < 16; ++i) {
    kse_set_value(&vdeq.ks, i * sizeof(ks::Prim<T>), sizeof(ks::Prim<T>),
                  ks::DeqScaleWord(vdeqInfo.vdeqScale[i], vdeqInfo.vdeqOffset[i], vdeqInfo.vdeqSignMode[i]), &where);
  }
  kse_vector_set_deq_scale(vdeq.ks.address);
}

// int32 to half by that scale, int16 to bytes by those; the names since and before CANN 9. A byte goes to the upper
// half of the block that belongs to its source's block, or (halfBlock = false) to the lower.
#define KS_CAST_DEQUANT(Name)                                                                                        \
  template <typename T, typename U, bool isVecDeq = true, bool halfBlock = true>                                     \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src, const uint32_t count, KS_SITE) { \
    ks::CastDequantised<T, U, isVecDeq, halfBlock>(dst, src, ks::CountLanes(count), 1, 8, 1, 8, site.In(#Name));     \
  }                                                                                                                  \
  template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true>              \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src, const uint64_t mask[],           \
                              uint8_t repeatTime, const UnaryRepeatParams& repeatParams, KS_SITE) {                  \
    ks::CastDequantised<T, U, isVecDeq, halfBlock>(                                                                  \
        dst, src, ks::BitLanes<isSetMask, ks::kWidest<T, U>>(mask, repeatTime), repeatParams.dstBlkStride,           \
        repeatParams.dstRepStride, repeatParams.srcBlkStride, repeatParams.srcRepStride, site.In(#Name));            \
  }                                                                                                                  \
  template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true>              \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src, const int32_t mask,              \
                              uint8_t repeatTime, const UnaryRepeatParams& repeatParams, KS_SITE) {                  \
    ks::CastDequantised<T, U, isVecDeq, halfBlock>(                                                                  \
        dst, src, ks::PrefixLanes<isSetMask>(static_cast<uint64_t>(mask), repeatTime), repeatParams.dstBlkStride,    \
        repeatParams.dstRepStride, repeatParams.srcBlkStride, repeatParams.srcRepStride, site.In(#Name));            \
  }
KS_CAST_DEQUANT(CastDequant)
KS_CAST_DEQUANT(CastDeq)
#undef KS_CAST_DEQUANT

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
