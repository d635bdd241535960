// Sorting: (score, index) pairs of 8 bytes, descending.
//
// Example:
//   AscendC::Concat(scores, values, workspace, n / 16);
//   AscendC::Sort<float, true>(pairs, scores, indices, workspace, n / 32);
//   AscendC::Extract(values, indices, pairs, n / 32);
#pragma once

#include "ks/vector_call.h"

namespace AscendC {

// 32 pairs a repeat.
template <typename T>
__aicore__ inline void Sort32(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<uint32_t>& src1,
                              const int32_t repeatTime, KS_SITE) {
  KS_TYPES("Sort32", T, half, float);
  const kse_where where = site.In("Sort32");
  kse_vector_sort32(&dst.ks, &src0.ks, &src1.ks, repeatTime, &where);
}

// Two to four sorted lists become one.
template <typename T>
__aicore__ inline void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& src, const MrgSort4Info& params,
                               KS_SITE) {
  KS_TYPES("MrgSort", T, half, float);
  const kse_where where = site.In("MrgSort");
  const kse_tensor lists[4] = {src.src1.ks, src.src2.ks, src.src3.ks, src.src4.ks};
  kse_vector_merge_sort(&dst.ks, lists, params.elementLengths, params.validBit, params.ifExhaustedSuspension,
                        params.repeatTimes, nullptr, &where);
}
template <typename T, bool isExhaustedSuspension = false>
__aicore__ inline void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& sortList,
                               const uint16_t elementCountList[4], uint32_t sortedNum[4], uint16_t validBit,
                               const int32_t repeatTime, KS_SITE) {
  KS_TYPES("MrgSort", T, half, float);
  const kse_where where = site.In("MrgSort");
  const kse_tensor lists[4] = {sortList.src1.ks, sortList.src2.ks, sortList.src3.ks, sortList.src4.ks};
  uint16_t taken[4] = {0, 0, 0, 0};
  kse_vector_merge_sort(&dst.ks, lists, elementCountList, validBit, isExhaustedSuspension, repeatTime, taken, &where);
  if constexpr (isExhaustedSuspension) {
    sortedNum[0] = taken[0];
    sortedNum[1] = taken[1];
    sortedNum[2] = taken[2];
    sortedNum[3] = taken[3];
  }
}
__aicore__ inline void GetMrgSortResult(uint16_t& mrgSortList1, uint16_t& mrgSortList2, uint16_t& mrgSortList3,
                                        uint16_t& mrgSortList4) {
  uint16_t taken[4];
  kse_vector_merged(taken);
  mrgSortList1 = taken[0];
  mrgSortList2 = taken[1];
  mrgSortList3 = taken[2];
  mrgSortList4 = taken[3];
}

// Scores as Sort takes them: on dav-2201 the source itself.
template <typename T>
__aicore__ inline void Concat(LocalTensor<T>& concat, const LocalTensor<T>& src, const LocalTensor<T>& tmp,
                              const int32_t repeatTime) {
  KS_TYPES("Concat", T, half, float);
  concat = src;
}
template <typename T, bool isFullSort>
__aicore__ inline void Sort(const LocalTensor<T>& dst, const LocalTensor<T>& concat, const LocalTensor<uint32_t>& index,
                            const LocalTensor<T>& tmp, const int32_t repeatTime, KS_SITE) {
  KS_TYPES("Sort", T, half, float);
  const kse_where where = site.In("Sort");
  if constexpr (isFullSort) {
    kse_vector_sort_all(&dst.ks, &concat.ks, &index.ks, &tmp.ks, repeatTime, &where);
  } else {
    kse_vector_sort32(&dst.ks, &concat.ks, &index.ks, repeatTime, &where);
  }
}
template <typename T>
__aicore__ inline void Extract(const LocalTensor<T>& dstValue, const LocalTensor<uint32_t>& dstIndex,
                               const LocalTensor<T>& sorted, const int32_t repeatTime, KS_SITE) {
  KS_TYPES("Extract", T, half, float);
  const kse_where where = site.In("Extract");
  kse_vector_extract(&dstValue.ks, &dstIndex.ks, &sorted.ks, repeatTime, &where);
}
// Elements before `elemCount` sorted pairs, and of them.
template <typename T>
__aicore__ inline uint32_t GetSortOffset(const uint32_t elemOffset) {
  KS_TYPES("GetSortOffset", T, half, float);
  return elemOffset * 8 / sizeof(ks::Prim<T>);
}
template <typename T>
__aicore__ inline uint32_t GetSortLen(const uint32_t elemCount) {
  KS_TYPES("GetSortLen", T, half, float);
  return elemCount * 8 / sizeof(ks::Prim<T>);
}

}  // namespace AscendC
