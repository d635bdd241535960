// Reductions of a tensor: everything, per repeat, per block, per pair. Names before and since CANN 9.
//
// Example:
//   AscendC::ReduceSum(sum, x, workspace, 1024);
//   AscendC::WholeReduceSum(sums, x, /*mask=*/64, /*repeatTime=*/8, /*dstRepStride=*/1, 1, 8);
//   AscendC::ReduceRepeat<AscendC::ReduceType::SUM>(sums, x, 64, 8, 1, 1, 8);
#pragma once

#include "ks/vector_call.h"

namespace ks {

template <typename T>
__aicore__ inline void Reduce(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                              const kse_lanes& lanes, kse_reduction reduction, kse_reduce_group group, int32_t dst_rep,
                              int32_t src_block, int32_t src_rep, const kse_where& where,
                              AscendC::ReduceOrder order = AscendC::ReduceOrder::ORDER_VALUE_INDEX) {
  const kse_operand to = OperandOf(dst, 1, static_cast<uint32_t>(dst_rep));
  const kse_operand from = OperandOf(src, static_cast<uint32_t>(src_block), static_cast<uint32_t>(src_rep));
  kse_vector_reduce(&to, &from, &lanes, reduction, group, static_cast<uint8_t>(order), &where);
}

constexpr kse_reduction ReductionOf(AscendC::ReduceType type) { return static_cast<kse_reduction>(type); }

}  // namespace ks

namespace AscendC {

#define KS_REDUCE_TYPES(api) KS_TYPES(api, T, half, float)

// Since CANN 9: the kind of reduction is a template argument, the mask comes first.
#define KS_REDUCE(Name, GROUP, condition, text)                                                                       \
  template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>                                     \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src, const uint64_t mask[],            \
                              const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,       \
                              const int32_t srcRepStride, KS_SITE) {                                                  \
    KS_REDUCE_TYPES(#Name);                                                                                           \
    static_assert(std::is_same_v<T, U>, #Name ": source and destination have one type on dav-2201");                  \
    static_assert(condition, #Name text);                                                                             \
    ks::Reduce(dst, src, ks::BitLanes<isSetMask, sizeof(ks::Prim<T>)>(mask, repeatTime), ks::ReductionOf(reduceType), \
               GROUP, dstRepStride, srcBlkStride, srcRepStride, site.In(#Name));                                      \
  }                                                                                                                   \
  template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>                                     \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src, const int32_t mask,               \
                              const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,       \
                              const int32_t srcRepStride, KS_SITE) {                                                  \
    KS_REDUCE_TYPES(#Name);                                                                                           \
    static_assert(std::is_same_v<T, U>, #Name ": source and destination have one type on dav-2201");                  \
    static_assert(condition, #Name text);                                                                             \
    ks::Reduce(dst, src, ks::PrefixLanes<isSetMask>(static_cast<uint64_t>(mask), repeatTime),                         \
               ks::ReductionOf(reduceType), GROUP, dstRepStride, srcBlkStride, srcRepStride, site.In(#Name));         \
  }
KS_REDUCE(ReduceDataBlock, KSE_GROUP_BLOCK, true, "")
KS_REDUCE(ReducePairElem, KSE_GROUP_PAIR, reduceType == ReduceType::SUM, ": sums only")
#undef KS_REDUCE

template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
__aicore__ inline void ReduceRepeat(const LocalTensor<T>& dst, const LocalTensor<U>& src, const uint64_t mask[],
                                    const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                                    const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX,
                                    KS_SITE) {
  KS_REDUCE_TYPES("ReduceRepeat");
  static_assert(std::is_same_v<T, U>, "ReduceRepeat: source and destination have one type on dav-2201");
  ks::Reduce(dst, src, ks::BitLanes<isSetMask, sizeof(ks::Prim<T>)>(mask, repeatTime), ks::ReductionOf(reduceType),
             KSE_GROUP_REPEAT, dstRepStride, srcBlkStride, srcRepStride, site.In("ReduceRepeat"), order);
}
template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>
__aicore__ inline void ReduceRepeat(const LocalTensor<T>& dst, const LocalTensor<U>& src, const int32_t mask,
                                    const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                                    const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX,
                                    KS_SITE) {
  KS_REDUCE_TYPES("ReduceRepeat");
  static_assert(std::is_same_v<T, U>, "ReduceRepeat: source and destination have one type on dav-2201");
  ks::Reduce(dst, src, ks::PrefixLanes<isSetMask>(static_cast<uint64_t>(mask), repeatTime), ks::ReductionOf(reduceType),
             KSE_GROUP_REPEAT, dstRepStride, srcBlkStride, srcRepStride, site.In("ReduceRepeat"), order);
}

// Before CANN 9: a name for each kind.
#define KS_WHOLE_EXTREME(Name, REDUCTION)                                                                             \
  template <typename T, bool isSetMask = true>                                                                        \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[],            \
                              const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,       \
                              const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX,         \
                              KS_SITE) {                                                                              \
    KS_REDUCE_TYPES(#Name);                                                                                           \
    ks::Reduce(dst, src, ks::BitLanes<isSetMask, sizeof(ks::Prim<T>)>(mask, repeatTime), REDUCTION, KSE_GROUP_REPEAT, \
               dstRepStride, srcBlkStride, srcRepStride, site.In(#Name), order);                                      \
  }                                                                                                                   \
  template <typename T, bool isSetMask = true>                                                                        \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t mask,               \
                              const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,       \
                              const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX,         \
                              KS_SITE) {                                                                              \
    KS_REDUCE_TYPES(#Name);                                                                                           \
    ks::Reduce(dst, src, ks::PrefixLanes<isSetMask>(static_cast<uint64_t>(mask), repeatTime), REDUCTION,              \
               KSE_GROUP_REPEAT, dstRepStride, srcBlkStride, srcRepStride, site.In(#Name), order);                    \
  }
KS_WHOLE_EXTREME(WholeReduceMax, KSE_REDUCE_MAX)
KS_WHOLE_EXTREME(WholeReduceMin, KSE_REDUCE_MIN)
#undef KS_WHOLE_EXTREME

template <typename T, bool isSetMask = true>
__aicore__ inline void WholeReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[],
                                      const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                                      const int32_t srcRepStride, KS_SITE) {
  KS_REDUCE_TYPES("WholeReduceSum");
  ks::Reduce(dst, src, ks::BitLanes<isSetMask, sizeof(ks::Prim<T>)>(mask, repeatTime), KSE_REDUCE_SUM, KSE_GROUP_REPEAT,
             dstRepStride, srcBlkStride, srcRepStride, site.In("WholeReduceSum"));
}
template <typename T, bool isSetMask = true>
__aicore__ inline void WholeReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t mask,
                                      const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                                      const int32_t srcRepStride, KS_SITE) {
  KS_REDUCE_TYPES("WholeReduceSum");
  ks::Reduce(dst, src, ks::PrefixLanes<isSetMask>(static_cast<uint64_t>(mask), repeatTime), KSE_REDUCE_SUM,
             KSE_GROUP_REPEAT, dstRepStride, srcBlkStride, srcRepStride, site.In("WholeReduceSum"));
}

// Repeats before the mask.
#define KS_OLD_REDUCE(Name, REDUCTION, GROUP)                                                                   \
  template <typename T, bool isSetMask = true>                                                                  \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime,   \
                              const uint64_t mask[], const int32_t dstRepStride, const int32_t srcBlkStride,    \
                              const int32_t srcRepStride, KS_SITE) {                                            \
    KS_REDUCE_TYPES(#Name);                                                                                     \
    ks::Reduce(dst, src, ks::BitLanes<isSetMask, sizeof(ks::Prim<T>)>(mask, repeatTime), REDUCTION, GROUP,      \
               dstRepStride, srcBlkStride, srcRepStride, site.In(#Name));                                       \
  }                                                                                                             \
  template <typename T, bool isSetMask = true>                                                                  \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime,   \
                              const int32_t mask, const int32_t dstRepStride, const int32_t srcBlkStride,       \
                              const int32_t srcRepStride, KS_SITE) {                                            \
    KS_REDUCE_TYPES(#Name);                                                                                     \
    ks::Reduce(dst, src, ks::PrefixLanes<isSetMask>(static_cast<uint64_t>(mask), repeatTime), REDUCTION, GROUP, \
               dstRepStride, srcBlkStride, srcRepStride, site.In(#Name));                                       \
  }
KS_OLD_REDUCE(BlockReduceSum, KSE_REDUCE_SUM, KSE_GROUP_BLOCK)
KS_OLD_REDUCE(BlockReduceMax, KSE_REDUCE_MAX, KSE_GROUP_BLOCK)
KS_OLD_REDUCE(BlockReduceMin, KSE_REDUCE_MIN, KSE_GROUP_BLOCK)
KS_OLD_REDUCE(PairReduceSum, KSE_REDUCE_SUM, KSE_GROUP_PAIR)
#undef KS_OLD_REDUCE

// dstBlkStride does nothing.
template <typename T, bool isSetMask = true>
__aicore__ inline void RepeatReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime,
                                       const int32_t mask, const int32_t dstBlkStride, const int32_t srcBlkStride,
                                       const int32_t dstRepStride, const int32_t srcRepStride, KS_SITE) {
  KS_REDUCE_TYPES("RepeatReduceSum");
  ks::Reduce(dst, src, ks::PrefixLanes<isSetMask>(static_cast<uint64_t>(mask), repeatTime), KSE_REDUCE_SUM,
             KSE_GROUP_REPEAT, dstRepStride, srcBlkStride, srcRepStride, site.In("RepeatReduceSum"));
}

// Everything.
template <typename T, bool isSetMask = true>
__aicore__ inline void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                 const LocalTensor<T>& sharedTmpBuffer, const int32_t count, KS_SITE) {
  KS_REDUCE_TYPES("ReduceSum");
  const kse_where where = site.In("ReduceSum");
  const kse_operand from = ks::OperandOf(src);
  const kse_lanes lanes = ks::CountLanes<isSetMask>(count);
  kse_vector_reduce_all(&dst.ks, &from, &sharedTmpBuffer.ks, &lanes, KSE_REDUCE_SUM, false, &where);
}
template <typename T>
__aicore__ inline void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                 const LocalTensor<T>& sharedTmpBuffer, const uint64_t mask[], const int32_t repeatTime,
                                 const int32_t srcRepStride, KS_SITE) {
  KS_REDUCE_TYPES("ReduceSum");
  const kse_where where = site.In("ReduceSum");
  const kse_operand from = ks::OperandOf(src, 1, static_cast<uint32_t>(srcRepStride));
  const kse_lanes lanes = ks::BitLanes<true, sizeof(ks::Prim<T>)>(mask, repeatTime);
  kse_vector_reduce_all(&dst.ks, &from, &sharedTmpBuffer.ks, &lanes, KSE_REDUCE_SUM, false, &where);
}
template <typename T>
__aicore__ inline void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                 const LocalTensor<T>& sharedTmpBuffer, const int32_t mask, const int32_t repeatTime,
                                 const int32_t srcRepStride, KS_SITE) {
  KS_REDUCE_TYPES("ReduceSum");
  const kse_where where = site.In("ReduceSum");
  const kse_operand from = ks::OperandOf(src, 1, static_cast<uint32_t>(srcRepStride));
  const kse_lanes lanes = ks::PrefixLanes<true>(static_cast<uint64_t>(mask), repeatTime);
  kse_vector_reduce_all(&dst.ks, &from, &sharedTmpBuffer.ks, &lanes, KSE_REDUCE_SUM, false, &where);
}

#define KS_REDUCE_EXTREME(Name, REDUCTION)                                                                            \
  template <typename T>                                                                                               \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src,                                   \
                              const LocalTensor<T>& sharedTmpBuffer, const int32_t count, bool calIndex = false,      \
                              KS_SITE) {                                                                              \
    KS_REDUCE_TYPES(#Name);                                                                                           \
    const kse_where where = site.In(#Name);                                                                           \
    const kse_operand from = ks::OperandOf(src);                                                                      \
    const kse_lanes lanes = ks::CountLanes(count);                                                                    \
    kse_vector_reduce_all(&dst.ks, &from, &sharedTmpBuffer.ks, &lanes, REDUCTION, calIndex, &where);                  \
  }                                                                                                                   \
  template <typename T>                                                                                               \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src,                                   \
                              const LocalTensor<T>& sharedTmpBuffer, const uint64_t mask[], const int32_t repeatTime, \
                              const int32_t srcRepStride, bool calIndex = false, KS_SITE) {                           \
    KS_REDUCE_TYPES(#Name);                                                                                           \
    const kse_where where = site.In(#Name);                                                                           \
    const kse_operand from = ks::OperandOf(src, 1, static_cast<uint32_t>(srcRepStride));                              \
    const kse_lanes lanes = ks::BitLanes<true, sizeof(ks::Prim<T>)>(mask, repeatTime);                                \
    kse_vector_reduce_all(&dst.ks, &from, &sharedTmpBuffer.ks, &lanes, REDUCTION, calIndex, &where);                  \
  }                                                                                                                   \
  template <typename T>                                                                                               \
  __aicore__ inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src,                                   \
                              const LocalTensor<T>& sharedTmpBuffer, const int32_t mask, const int32_t repeatTime,    \
                              const int32_t srcRepStride, bool calIndex = false, KS_SITE) {                           \
    KS_REDUCE_TYPES(#Name);                                                                                           \
    const kse_where where = site.In(#Name);                                                                           \
    const kse_operand from = ks::OperandOf(src, 1, static_cast<uint32_t>(srcRepStride));                              \
    const kse_lanes lanes = ks::PrefixLanes<true>(static_cast<uint64_t>(mask), repeatTime);                           \
    kse_vector_reduce_all(&dst.ks, &from, &sharedTmpBuffer.ks, &lanes, REDUCTION, calIndex, &where);                  \
  }
KS_REDUCE_EXTREME(ReduceMax, KSE_REDUCE_MAX)
KS_REDUCE_EXTREME(ReduceMin, KSE_REDUCE_MIN)
#undef KS_REDUCE_EXTREME
#undef KS_REDUCE_TYPES

// The last ReduceSum over a count.
template <typename T>
__aicore__ inline T GetReduceRepeatSumSpr() {
  KS_TYPES("GetReduceRepeatSumSpr", T, half, float);
  return ks::FromBits<T>(kse_vector_accumulated());
}
// Its name before CANN 9; without a type the bits, as published kernels take them.
template <typename T = uint64_t>
__aicore__ inline T GetAccVal() {
  KS_TYPES("GetAccVal", T, half, float, uint64_t);
  return ks::FromBits<T>(kse_vector_accumulated());
}
// Extreme of all repeats of the last WholeReduceMax or WholeReduceMin; the index in the bits of T.
template <typename T>
__aicore__ inline void GetReduceRepeatMaxMinSpr(T& maxMinValue, T& maxMinIndex) {
  KS_TYPES("GetReduceRepeatMaxMinSpr", T, half, float);
  uint64_t value = 0;
  uint64_t index = 0;
  kse_vector_extreme(&value, &index);
  maxMinValue = ks::FromBits<T>(value);
  maxMinIndex = ks::FromBits<T>(index);
}
template <typename T>
__aicore__ inline void GetReduceMaxMinCount(T& maxMinValue, T& maxMinIndex) {
  GetReduceRepeatMaxMinSpr(maxMinValue, maxMinIndex);
}

}  // namespace AscendC
