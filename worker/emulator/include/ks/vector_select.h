// Comparison of tensors to bits, and selection by bits.
//
// Example:
//   AscendC::Compares(bits, x, 0.0f, AscendC::CMPMODE::GT, 1024);
//   AscendC::Select(y, bits, x, 0.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, 1024);
#pragma once

#include "ks/sync_abi.h"
#include "ks/vector_call.h"

namespace AscendC {

#define KS_COMPARE_TYPES(api)             \
  KS_TYPES(api, T, half, float, int32_t); \
  static_assert(ks::kOneOf<U, int8_t, uint8_t>, api ": bits go to int8_t or uint8_t")

// Two tensors. Masks do not count on dav-2201.
template <typename T, typename U>
__aicore__ inline void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                               CMPMODE cmpMode, uint32_t count, KS_SITE) {
  KS_COMPARE_TYPES("Compare");
  const kse_where where = site.In("Compare");
  const kse_operand a = ks::OperandOf(src0);
  const kse_operand b = ks::OperandOf(src1);
  const kse_lanes lanes = ks::CountLanes(count);
  kse_vector_compare(&dst.ks, &a, &b, 0, static_cast<uint8_t>(cmpMode), &lanes, &where);
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                               CMPMODE cmpMode, const uint64_t mask[], int32_t repeatTime,
                               const BinaryRepeatParams& repeatParams, KS_SITE) {
  Compare<T, U, isSetMask>(dst, src0, src1, cmpMode, mask[0], repeatTime, repeatParams, site);
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                               CMPMODE cmpMode, const uint64_t mask, int32_t repeatTime,
                               const BinaryRepeatParams& repeatParams, KS_SITE) {
  KS_COMPARE_TYPES("Compare");
  const kse_where where = site.In("Compare");
  const kse_operand a = ks::OperandOf(src0, repeatParams.src0BlkStride, repeatParams.src0RepStride);
  const kse_operand b = ks::OperandOf(src1, repeatParams.src1BlkStride, repeatParams.src1RepStride);
  const kse_lanes lanes = ks::PrefixLanes<isSetMask>(mask, repeatTime);
  kse_vector_compare(&dst.ks, &a, &b, 0, static_cast<uint8_t>(cmpMode), &lanes, &where);
}

// To the compare register: one repeat.
template <typename T, bool isSetMask = true>
__aicore__ inline void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode,
                               const uint64_t mask[], const BinaryRepeatParams& repeatParams, KS_SITE) {
  KS_TYPES("Compare", T, half, float);
  const kse_where where = site.In("Compare");
  const kse_operand a = ks::OperandOf(src0, repeatParams.src0BlkStride, repeatParams.src0RepStride);
  const kse_operand b = ks::OperandOf(src1, repeatParams.src1BlkStride, repeatParams.src1RepStride);
  const kse_lanes lanes = ks::BitLanes<isSetMask, sizeof(ks::Prim<T>)>(mask, 1);
  kse_vector_compare(nullptr, &a, &b, 0, static_cast<uint8_t>(cmpMode), &lanes, &where);
}
template <typename T, bool isSetMask = true>
__aicore__ inline void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode,
                               const uint64_t mask, const BinaryRepeatParams& repeatParams, KS_SITE) {
  KS_TYPES("Compare", T, half, float);
  const kse_where where = site.In("Compare");
  const kse_operand a = ks::OperandOf(src0, repeatParams.src0BlkStride, repeatParams.src0RepStride);
  const kse_operand b = ks::OperandOf(src1, repeatParams.src1BlkStride, repeatParams.src1RepStride);
  const kse_lanes lanes = ks::PrefixLanes<isSetMask>(mask, 1);
  kse_vector_compare(nullptr, &a, &b, 0, static_cast<uint8_t>(cmpMode), &lanes, &where);
}

// Against a scalar; the names since and before CANN 9.
#define KS_COMPARE_SCALAR(Name)                                                                                \
  template <typename T, typename U>                                                                            \
  __aicore__ inline void Name(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar,       \
                              CMPMODE cmpMode, uint32_t count, KS_SITE) {                                      \
    KS_COMPARE_TYPES(#Name);                                                                                   \
    const kse_where where = site.In(#Name);                                                                    \
    const kse_operand a = ks::OperandOf(src0);                                                                 \
    const kse_lanes lanes = ks::CountLanes(count);                                                             \
    kse_vector_compare(&dst.ks, &a, nullptr, ks::BitsOf<T>(src1Scalar), static_cast<uint8_t>(cmpMode), &lanes, \
                       &where);                                                                                \
  }                                                                                                            \
  template <typename T, typename U, bool isSetMask = true>                                                     \
  __aicore__ inline void Name(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar,       \
                              CMPMODE cmpMode, const uint64_t mask, int32_t repeatTime,                        \
                              const UnaryRepeatParams& repeatParams, KS_SITE) {                                \
    KS_COMPARE_TYPES(#Name);                                                                                   \
    const kse_where where = site.In(#Name);                                                                    \
    const kse_operand a = ks::OperandOf(src0, repeatParams.srcBlkStride, repeatParams.srcRepStride);           \
    const kse_lanes lanes = ks::PrefixLanes<isSetMask>(mask, repeatTime);                                      \
    kse_vector_compare(&dst.ks, &a, nullptr, ks::BitsOf<T>(src1Scalar), static_cast<uint8_t>(cmpMode), &lanes, \
                       &where);                                                                                \
  }                                                                                                            \
  template <typename T, typename U, bool isSetMask = true>                                                     \
  __aicore__ inline void Name(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar,       \
                              CMPMODE cmpMode, const uint64_t mask[], int32_t repeatTime,                      \
                              const UnaryRepeatParams& repeatParams, KS_SITE) {                                \
    Name<T, U, isSetMask>(dst, src0, src1Scalar, cmpMode, mask[0], repeatTime, repeatParams, site);            \
  }
KS_COMPARE_SCALAR(Compares)
KS_COMPARE_SCALAR(CompareScalar)
#undef KS_COMPARE_SCALAR
#undef KS_COMPARE_TYPES

template <typename T>
__aicore__ inline void GetCmpMask(const LocalTensor<T>& dst, KS_SITE) {
  const kse_where where = site.In("GetCmpMask");
  kse_vector_get_compare_mask(&dst.ks, &where);
}
template <typename T>
__aicore__ inline void SetCmpMask(const LocalTensor<T>& src, KS_SITE) {
  const kse_where where = site.In("SetCmpMask");
  kse_vector_set_compare_mask(&src.ks, &where);
}

#define KS_SELECT_TYPES                                               \
  KS_TYPES("Select", T, half, float);                                 \
  static_assert(ks::kOneOf<U, uint8_t, uint16_t, uint32_t, uint64_t>, \
                "Select: bits come from uint8_t, uint16_t, uint32_t or uint64_t")

// Bits choose between a tensor and a scalar: every repeat has its own.
template <typename T, typename U>
__aicore__ inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
                              T src1, SELMODE selMode, uint32_t count, KS_SITE) {
  KS_SELECT_TYPES;
  const kse_where where = site.In("Select");
  const kse_operand to = ks::OperandOf(dst);
  const kse_operand a = ks::OperandOf(src0);
  const kse_lanes lanes = ks::CountLanes(count);
  kse_vector_select(&to, &selMask.ks, &a, nullptr, ks::BitsOf<T>(src1), selMode != SELMODE::VSEL_CMPMASK_SPR, &lanes,
                    &where);
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
                              T src1, SELMODE selMode, const uint64_t mask[], int32_t repeatTime,
                              const BinaryRepeatParams& repeatParams, KS_SITE) {
  KS_SELECT_TYPES;
  const kse_where where = site.In("Select");
  const kse_operand to = ks::OperandOf(dst, repeatParams.dstBlkStride, repeatParams.dstRepStride);
  const kse_operand a = ks::OperandOf(src0, repeatParams.src0BlkStride, repeatParams.src0RepStride);
  const kse_lanes lanes = ks::BitLanes<isSetMask, sizeof(ks::Prim<T>)>(mask, repeatTime);
  kse_vector_select(&to, &selMask.ks, &a, nullptr, ks::BitsOf<T>(src1), selMode != SELMODE::VSEL_CMPMASK_SPR, &lanes,
                    &where);
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
                              T src1, SELMODE selMode, uint64_t mask, int32_t repeatTime,
                              const BinaryRepeatParams& repeatParams, KS_SITE) {
  KS_SELECT_TYPES;
  const kse_where where = site.In("Select");
  const kse_operand to = ks::OperandOf(dst, repeatParams.dstBlkStride, repeatParams.dstRepStride);
  const kse_operand a = ks::OperandOf(src0, repeatParams.src0BlkStride, repeatParams.src0RepStride);
  const kse_lanes lanes = ks::PrefixLanes<isSetMask>(mask, repeatTime);
  kse_vector_select(&to, &selMask.ks, &a, nullptr, ks::BitsOf<T>(src1), selMode != SELMODE::VSEL_CMPMASK_SPR, &lanes,
                    &where);
}

// Bits choose between two tensors: the same bits for all repeats (VSEL_CMPMASK_SPR), or each its own.
template <typename T, typename U>
__aicore__ inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
                              const LocalTensor<T>& src1, SELMODE selMode, uint32_t count, KS_SITE) {
  KS_SELECT_TYPES;
  const kse_where where = site.In("Select");
  const kse_operand to = ks::OperandOf(dst);
  const kse_operand a = ks::OperandOf(src0);
  const kse_operand b = ks::OperandOf(src1);
  const kse_lanes lanes = ks::CountLanes(count);
  kse_vector_select(&to, &selMask.ks, &a, &b, 0, selMode != SELMODE::VSEL_CMPMASK_SPR, &lanes, &where);
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
                              const LocalTensor<T>& src1, SELMODE selMode, const uint64_t mask[], int32_t repeatTime,
                              const BinaryRepeatParams& repeatParams, KS_SITE) {
  KS_SELECT_TYPES;
  const kse_where where = site.In("Select");
  const kse_operand to = ks::OperandOf(dst, repeatParams.dstBlkStride, repeatParams.dstRepStride);
  const kse_operand a = ks::OperandOf(src0, repeatParams.src0BlkStride, repeatParams.src0RepStride);
  const kse_operand b = ks::OperandOf(src1, repeatParams.src1BlkStride, repeatParams.src1RepStride);
  const kse_lanes lanes = ks::BitLanes<isSetMask, sizeof(ks::Prim<T>)>(mask, repeatTime);
  kse_vector_select(&to, &selMask.ks, &a, &b, 0, selMode != SELMODE::VSEL_CMPMASK_SPR, &lanes, &where);
}
template <typename T, typename U, bool isSetMask = true>
__aicore__ inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
                              const LocalTensor<T>& src1, SELMODE selMode, uint64_t mask, int32_t repeatTime,
                              const BinaryRepeatParams& repeatParams, KS_SITE) {
  KS_SELECT_TYPES;
  const kse_where where = site.In("Select");
  const kse_operand to = ks::OperandOf(dst, repeatParams.dstBlkStride, repeatParams.dstRepStride);
  const kse_operand a = ks::OperandOf(src0, repeatParams.src0BlkStride, repeatParams.src0RepStride);
  const kse_operand b = ks::OperandOf(src1, repeatParams.src1BlkStride, repeatParams.src1RepStride);
  const kse_lanes lanes = ks::PrefixLanes<isSetMask>(mask, repeatTime);
  kse_vector_select(&to, &selMask.ks, &a, &b, 0, selMode != SELMODE::VSEL_CMPMASK_SPR, &lanes, &where);
}
#undef KS_SELECT_TYPES

// By the compare register and the mask register. In VSEL_TENSOR_TENSOR_MODE the register has the address of the bits.
template <typename T, SELMODE selMode>
__aicore__ inline void Select(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                              int32_t repeatTime, const BinaryRepeatParams& repeatParams, KS_SITE) {
  KS_TYPES("Select", T, half, float);
  static_assert(selMode != SELMODE::VSEL_TENSOR_SCALAR_MODE,
                "Select of a tensor and a scalar without a mask argument takes the bits, not a second tensor");
  const kse_where where = site.In("Select");
  const kse_operand to = ks::OperandOf(dst, repeatParams.dstBlkStride, repeatParams.dstRepStride);
  const kse_operand a = ks::OperandOf(src0, repeatParams.src0BlkStride, repeatParams.src0RepStride);
  const kse_operand b = ks::OperandOf(src1, repeatParams.src1BlkStride, repeatParams.src1RepStride);
  const kse_lanes lanes = ks::PrefixLanes<false>(0, repeatTime);
  if constexpr (selMode == SELMODE::VSEL_CMPMASK_SPR) {
    kse_vector_select(&to, nullptr, &a, &b, 0, false, &lanes, &where);
  } else {
    // The register keeps 32 bits of an address.
    kse_tensor bits = LocalTensor<uint8_t>(TPosition::VECCALC, 0, kse_ub_bytes()).ks;
    bits.address = static_cast<uint32_t>(kse_vector_compare_mask()) -
                   static_cast<uint32_t>(reinterpret_cast<uint64_t>(kse_local_pointer(&bits, 0)));
    bits.bytes -= bits.address < bits.bytes ? bits.address : bits.bytes;
    kse_vector_select(&to, &bits, &a, &b, 0, true, &lanes, &where);
  }
}
// A tensor or the scalar in the compare register.
template <typename T, typename U>
__aicore__ inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
                              uint8_t repeatTime, const BinaryRepeatParams& repeatParams, KS_SITE) {
  KS_TYPES("Select", T, half, float);
  const kse_where where = site.In("Select");
  const kse_operand to = ks::OperandOf(dst, repeatParams.dstBlkStride, repeatParams.dstRepStride);
  const kse_operand a = ks::OperandOf(src0, repeatParams.src0BlkStride, repeatParams.src0RepStride);
  const kse_lanes lanes = ks::PrefixLanes<false>(0, repeatTime);
  kse_vector_select(&to, &selMask.ks, &a, nullptr, kse_vector_compare_mask(), true, &lanes, &where);
}

#define KS_COMPARE_OPERATOR(symbol, MODE)                                                                              \
  template <typename T>                                                                                                \
  __aicore__ inline ks::CompareExpression<T, MODE> operator symbol(const LocalTensor<T>& a, const LocalTensor<T>& b) { \
    KS_TYPES("Compare", T, half, float, int32_t);                                                                      \
    return {a, b};                                                                                                     \
  }
KS_COMPARE_OPERATOR(<, KSE_LT)
KS_COMPARE_OPERATOR(>, KSE_GT)
KS_COMPARE_OPERATOR(<=, KSE_LE)
KS_COMPARE_OPERATOR(>=, KSE_GE)
KS_COMPARE_OPERATOR(==, KSE_EQ)
KS_COMPARE_OPERATOR(!=, KSE_NE)
#undef KS_COMPARE_OPERATOR

}  // namespace AscendC
