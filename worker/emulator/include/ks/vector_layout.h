// Order of elements: Transpose and TransDataTo5HD.
//
// Example:
//   AscendC::Transpose(columns, rows);             // 16 by 16 elements of 16 bits
#pragma once

#include "ks/vector_call.h"

namespace AscendC {

template <typename T>
__aicore__ inline void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src, KS_SITE) {
  KS_TYPES("Transpose", T, int16_t, uint16_t, half);
  const kse_where where = site.In("Transpose");
  kse_vector_transpose16(&dst.ks, &src.ks, &where);
}
// 16 by 16, or between channels first and channels last.
template <typename T>
__aicore__ inline void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                 const LocalTensor<uint8_t>& sharedTmpBuffer, const TransposeParamsExt& params,
                                 KS_SITE) {
  KS_TYPES("Transpose", T, int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t, float);
  const kse_where where = site.In("Transpose");
  kse_vector_transpose(&dst.ks, &src.ks, &sharedTmpBuffer.ks, params.nSize, params.cSize,
                       static_cast<uint32_t>(params.hSize) * params.wSize, static_cast<uint8_t>(params.transposeType),
                       &where);
}

#define KS_5HD_TYPES KS_TYPES("TransDataTo5HD", T, int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t, float)

// Lists of sixteen addresses, as GetPhyAddr gives them.
template <typename T>
__aicore__ inline void TransDataTo5HD(uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE],
                                      uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE], const TransDataTo5HDParams& params,
                                      KS_SITE) {
  KS_5HD_TYPES;
  const kse_where where = site.In("TransDataTo5HD");
  kse_vector_trans_5hd(ks::ElementOf<T>(), dstList, srcList, params.dstHighHalf, params.srcHighHalf, params.repeatTimes,
                       params.dstRepStride, params.srcRepStride, &where);
}
// The same lists in tensors.
template <typename T>
__aicore__ inline void TransDataTo5HD(const LocalTensor<uint64_t>& dst, const LocalTensor<uint64_t>& src,
                                      const TransDataTo5HDParams& params, KS_SITE) {
  KS_5HD_TYPES;
  const kse_where where = site.In("TransDataTo5HD");
  uint64_t to[NCHW_CONV_ADDR_LIST_SIZE];
  uint64_t from[NCHW_CONV_ADDR_LIST_SIZE];
  kse_vector_load_addresses(&dst.ks, to, &where);
  kse_vector_load_addresses(&src.ks, from, &where);
  kse_vector_trans_5hd(ks::ElementOf<T>(), to, from, params.dstHighHalf, params.srcHighHalf, params.repeatTimes,
                       params.dstRepStride, params.srcRepStride, &where);
}
template <typename T>
__aicore__ inline void TransDataTo5HD(const LocalTensor<T> (&dstList)[NCHW_CONV_ADDR_LIST_SIZE],
                                      const LocalTensor<T> (&srcList)[NCHW_CONV_ADDR_LIST_SIZE],
                                      const TransDataTo5HDParams& params, KS_SITE) {
  KS_5HD_TYPES;
  const kse_where where = site.In("TransDataTo5HD");
  uint64_t to[NCHW_CONV_ADDR_LIST_SIZE];
  uint64_t from[NCHW_CONV_ADDR_LIST_SIZE];
  kse_vector_addresses(&dstList[0].ks, sizeof(LocalTensor<T>), to);
  kse_vector_addresses(&srcList[0].ks, sizeof(LocalTensor<T>), from);
  kse_vector_trans_5hd(ks::ElementOf<T>(), to, from, params.dstHighHalf, params.srcHighHalf, params.repeatTimes,
                       params.dstRepStride, params.srcRepStride, &where);
}
#undef KS_5HD_TYPES

}  // namespace AscendC
