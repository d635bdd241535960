// Tensors from nothing, or from one element: Duplicate, CreateVecIndex, Arange, Brcb, Broadcast.
//
// Example:
//   AscendC::Duplicate(x, half(0), 1024);
//   AscendC::CreateVecIndex(index, int32_t(0), 64);
//   AscendC::Brcb(blocks, sums, 8, {1, 8});        // each of 64 elements fills a block
#pragma once

#include "ks/vector_call.h"

namespace AscendC {

#define KS_FILL_TYPES(api) KS_TYPES(api, T, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float)

template <typename T>
__aicore__ inline void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, const int32_t& count, KS_SITE) {
  KS_FILL_TYPES("Duplicate");
  ks::Elementwise(KSE_DUPLICATE, ks::OperandOf(dst), ks::NoOperand(), ks::NoOperand(), ks::CountLanes(count),
                  ks::BitsOf<T>(scalarValue), site.In("Duplicate"));
}
// The first element of src.
template <typename T>
__aicore__ inline void Duplicate(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count, KS_SITE) {
  KS_FILL_TYPES("Duplicate");
  ks::Elementwise(KSE_DUPLICATE_FIRST, ks::OperandOf(dst), ks::OperandOf(src), ks::NoOperand(), ks::CountLanes(count),
                  0, site.In("Duplicate"));
}
template <typename T, bool isSetMask = true>
__aicore__ inline void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, const uint64_t mask[],
                                 const int32_t repeatTime, const uint16_t dstBlockStride, const uint8_t dstRepeatStride,
                                 KS_SITE) {
  KS_FILL_TYPES("Duplicate");
  ks::Elementwise(KSE_DUPLICATE, ks::OperandOf(dst, dstBlockStride, dstRepeatStride), ks::NoOperand(), ks::NoOperand(),
                  ks::BitLanes<isSetMask, sizeof(ks::Prim<T>)>(mask, repeatTime), ks::BitsOf<T>(scalarValue),
                  site.In("Duplicate"));
}
template <typename T, bool isSetMask = true>
__aicore__ inline void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, uint64_t mask,
                                 const int32_t repeatTime, const uint16_t dstBlockStride, const uint8_t dstRepeatStride,
                                 KS_SITE) {
  KS_FILL_TYPES("Duplicate");
  ks::Elementwise(KSE_DUPLICATE, ks::OperandOf(dst, dstBlockStride, dstRepeatStride), ks::NoOperand(), ks::NoOperand(),
                  ks::PrefixLanes<isSetMask>(mask, repeatTime), ks::BitsOf<T>(scalarValue), site.In("Duplicate"));
}

// firstValue, firstValue + 1, ...
template <typename T>
__aicore__ inline void CreateVecIndex(LocalTensor<T> dst, const T& firstValue, uint32_t count, KS_SITE) {
  KS_TYPES("CreateVecIndex", T, int16_t, half, int32_t, float);
  ks::Elementwise(KSE_ARANGE, ks::OperandOf(dst), ks::NoOperand(), ks::NoOperand(), ks::CountLanes(count),
                  ks::BitsOf<T>(firstValue), site.In("CreateVecIndex"));
}
template <typename T>
__aicore__ inline void CreateVecIndex(LocalTensor<T>& dst, const T& firstValue, const uint64_t mask[],
                                      int32_t repeatTime, uint16_t dstBlkStride, uint8_t dstRepStride, KS_SITE) {
  KS_TYPES("CreateVecIndex", T, int16_t, half, int32_t, float);
  ks::Elementwise(KSE_ARANGE, ks::OperandOf(dst, dstBlkStride, dstRepStride), ks::NoOperand(), ks::NoOperand(),
                  ks::BitLanes<true, sizeof(ks::Prim<T>)>(mask, repeatTime), ks::BitsOf<T>(firstValue),
                  site.In("CreateVecIndex"));
}
template <typename T>
__aicore__ inline void CreateVecIndex(LocalTensor<T>& dst, const T& firstValue, uint64_t mask, int32_t repeatTime,
                                      uint16_t dstBlkStride, uint8_t dstRepStride, KS_SITE) {
  KS_TYPES("CreateVecIndex", T, int16_t, half, int32_t, float);
  ks::Elementwise(KSE_ARANGE, ks::OperandOf(dst, dstBlkStride, dstRepStride), ks::NoOperand(), ks::NoOperand(),
                  ks::PrefixLanes<true>(mask, repeatTime), ks::BitsOf<T>(firstValue), site.In("CreateVecIndex"));
}

// firstValue + i * diffValue; the names before and since CANN 9.
template <typename T>
__aicore__ inline void Arange(const LocalTensor<T>& dst, const T firstValue, const T diffValue, const int32_t count,
                              KS_SITE) {
  KS_TYPES("Arange", T, int16_t, half, int32_t, float, int64_t);
  const kse_where where = site.In("Arange");
  kse_vector_arange(&dst.ks, ks::BitsOf<T>(firstValue), ks::BitsOf<T>(diffValue), count, &where);
}
template <typename T>
__aicore__ inline void ArithProgression(const LocalTensor<T>& dst, const T firstValue, const T diffValue,
                                        const int32_t count, KS_SITE) {
  KS_TYPES("ArithProgression", T, int16_t, half, int32_t, float);
  const kse_where where = site.In("ArithProgression");
  kse_vector_arange(&dst.ks, ks::BitsOf<T>(firstValue), ks::BitsOf<T>(diffValue), count, &where);
}

// Eight elements of src fill eight blocks of dst, each repeat.
template <typename T>
__aicore__ inline void Brcb(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime,
                            const BrcbRepeatParams& repeatParams, KS_SITE) {
  KS_FILL_TYPES("Brcb");
  const kse_where where = site.In("Brcb");
  const kse_operand to = ks::OperandOf(dst, repeatParams.dstBlkStride, repeatParams.dstRepStride);
  kse_vector_brcb(&to, &src.ks, repeatTime, &where);
}
#undef KS_FILL_TYPES

// Shapes of one or two dimensions; the axis that grows is 1 in the source. Both spellings are in use. The documents
// name the first four types for dav-2201; published kernels for it use the others too, which are copied alike.
#define KS_BROADCAST(Name)                                                                                             \
  template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>                                         \
  __aicore__ inline void Name(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,                          \
                              const uint32_t dstShape[dim], const uint32_t srcShape[dim], KS_SITE) {                   \
    KS_TYPES(#Name, T, int8_t, uint8_t, half, float, int16_t, uint16_t, bfloat16_t, int32_t, uint32_t);                \
    static_assert((dim == 1 && axis == 0) || (dim == 2 && (axis == 0 || axis == 1)), #Name ": one or two dimensions"); \
    const kse_where where = site.In(#Name);                                                                            \
    kse_vector_broadcast(&dstLocal.ks, &srcLocal.ks, dstShape, srcShape, dim, &where);                                 \
  }                                                                                                                    \
  template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>                                         \
  __aicore__ inline void Name(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,                          \
                              const uint32_t dstShape[dim], const uint32_t srcShape[dim],                              \
                              const LocalTensor<uint8_t>& sharedTmpBuffer, KS_SITE) {                                  \
    Name<T, dim, axis, isReuseSource>(dstLocal, srcLocal, dstShape, srcShape, site);                                   \
  }
KS_BROADCAST(Broadcast)
KS_BROADCAST(BroadCast)
#undef KS_BROADCAST

}  // namespace AscendC
