// Instructions under the names of the compiler, as far as published kernels use them: on addresses that GetPhyAddr
// gives, masked by the mask register, strides in blocks of 32 bytes.
//
// Example:
//   AscendC::AscendCUtils::SetMask<float>(64);
//   vcadd(nullptr, (__ubuf__ float*)x.GetPhyAddr(), repeats, 1, 1, 8, true);    // sum of all to the register
//   set_flag(PIPE_V, PIPE_S, EVENT_ID0);  wait_flag(PIPE_V, PIPE_S, EVENT_ID0);
//   uint64_t bits = get_acc_val();
#pragma once

#include "ks/copy_abi.h"
#include "ks/sync_abi.h"
#include "ks/vector_call.h"

#ifndef likely
#define likely(condition) __builtin_expect(!!(condition), 1)
#endif
#ifndef unlikely
#define unlikely(condition) __builtin_expect(!!(condition), 0)
#endif

namespace ks {

// What lies at an address, to the end of its memory.
template <typename T>
__aicore__ inline kse_tensor At(const T* address) {
  kse_tensor tensor{};
  kse_locate_pointer(address, &tensor);
  tensor.position = static_cast<uint8_t>(AscendC::TPosition::VECCALC);
  tensor.element = ElementOf<T>();
  tensor.bytes = tensor.space == KSE_SPACE_UB ? kse_ub_bytes() - tensor.address : 0;
  tensor.elements = ElementsIn<T>(tensor.bytes);
  return tensor;
}

// Sums of repeats, one behind the other, or (to_register) the sum of all.
template <typename T>
__aicore__ inline void SumRepeats(T* dst, const T* src, uint8_t repeats, uint16_t dst_stride, uint16_t src_block,
                                  uint16_t src_repeat, bool to_register, const Site& site) {
  const kse_where where = site.In("vcadd");
  const kse_tensor from = At(src);
  const kse_operand source{&from, src_block, src_repeat};
  const kse_lanes lanes = PrefixLanes<false>(0, repeats);
  if (to_register) {
    kse_vector_reduce_all(nullptr, &source, nullptr, &lanes, KSE_REDUCE_SUM, false, &where);
    return;
  }
  const kse_tensor to = At(dst);
  const kse_operand target{&to, 1, dst_stride};
  kse_vector_reduce(&target, &source, &lanes, KSE_REDUCE_SUM, KSE_GROUP_REPEAT, KSE_ONLY_VALUE, &where);
}

}  // namespace ks

__aicore__ inline void vcadd(__ubuf__ float* dst, __ubuf__ float* src, uint8_t repeat, uint16_t dstRepeatStride,
                             uint16_t srcBlockStride, uint16_t srcRepeatStride, bool mode = false, KS_SITE) {
  ks::SumRepeats(dst, src, repeat, dstRepeatStride, srcBlockStride, srcRepeatStride, mode, site);
}
__aicore__ inline void vcadd(__ubuf__ half* dst, __ubuf__ half* src, uint8_t repeat, uint16_t dstRepeatStride,
                             uint16_t srcBlockStride, uint16_t srcRepeatStride, bool mode = false, KS_SITE) {
  ks::SumRepeats(dst, src, repeat, dstRepeatStride, srcBlockStride, srcRepeatStride, mode, site);
}
__aicore__ inline uint64_t get_acc_val() { return kse_vector_accumulated(); }

#define KS_BITWISE(Name, OPERATION, T)                                                                                \
  __aicore__ inline void Name(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, uint8_t repeat,                    \
                              uint8_t dstBlockStride, uint8_t src0BlockStride, uint8_t src1BlockStride,               \
                              uint8_t dstRepeatStride, uint8_t src0RepeatStride, uint8_t src1RepeatStride, KS_SITE) { \
    const kse_tensor to = ks::At(dst);                                                                                \
    const kse_tensor a = ks::At(src0);                                                                                \
    const kse_tensor b = ks::At(src1);                                                                                \
    ks::Elementwise(OPERATION, {&to, dstBlockStride, dstRepeatStride}, {&a, src0BlockStride, src0RepeatStride},       \
                    {&b, src1BlockStride, src1RepeatStride}, ks::PrefixLanes<false>(0, repeat), 0, site.In(#Name));   \
  }
KS_BITWISE(vor, KSE_OR, int16_t)
KS_BITWISE(vor, KSE_OR, uint16_t)
KS_BITWISE(vand, KSE_AND, int16_t)
KS_BITWISE(vand, KSE_AND, uint16_t)
#undef KS_BITWISE

template <typename T>
__aicore__ inline void vector_dup(__ubuf__ T* dst, T scalar, uint8_t repeat, uint16_t dstBlockStride, uint16_t,
                                  uint16_t dstRepeatStride, uint16_t, KS_SITE) {
  KS_TYPES("vector_dup", T, int16_t, uint16_t, half, int32_t, uint32_t, float);
  const kse_tensor to = ks::At(dst);
  ks::Elementwise(KSE_DUPLICATE, {&to, dstBlockStride, dstRepeatStride}, ks::NoOperand(), ks::NoOperand(),
                  ks::PrefixLanes<false>(0, repeat), ks::BitsOf<T>(scalar), site.In("vector_dup"));
}

// Bursts of blocks, gaps in blocks.
__aicore__ inline void copy_ubuf_to_ubuf(__ubuf__ void* dst, __ubuf__ void* src, uint8_t, uint16_t bursts,
                                         uint16_t blocks, uint16_t srcGap, uint16_t dstGap, KS_SITE) {
  const kse_where where = site.In("copy_ubuf_to_ubuf");
  const kse_tensor to = ks::At(static_cast<uint8_t*>(dst));
  const kse_tensor from = ks::At(static_cast<uint8_t*>(src));
  const kse_bursts all{bursts, blocks * 32u, (uint64_t{blocks} + dstGap) * 32, (uint64_t{blocks} + srcGap) * 32};
  kse_copy_bursts(&to, &from, &all, &where);
}

__aicore__ inline void set_vector_mask(uint64_t high, uint64_t low) { kse_vector_set_mask(high, low); }
__aicore__ inline void set_mask_norm() { kse_vector_set_count_mode(false); }
__aicore__ inline void set_mask_count() { kse_vector_set_count_mode(true); }

namespace AscendC {

// The mask of the next instructions: the first lanes of a repeat, or bits.
class AscendCUtils {
 public:
  template <typename T, bool isSetMask = true>
  __aicore__ static void SetMask(int32_t len) {
    if constexpr (isSetMask) kse_vector_set_mask_length(len, false);
  }
  template <typename T, bool isSetMask = true>
  __aicore__ static void SetMask(const uint64_t& maskHigh, const uint64_t& maskLow) {
    if constexpr (isSetMask) kse_vector_set_mask(maskHigh, maskLow);
  }
  // Overflow is always kept as infinity here, which is mode 1.
  __aicore__ static void SetOverflow(uint64_t) {}
  template <typename T, bool isSetMask = true>
  __aicore__ static void ResetMask() {
    if constexpr (isSetMask) kse_vector_set_mask(~uint64_t{0}, ~uint64_t{0});
  }
};

}  // namespace AscendC
