// What the vector headers pass to the operations library: one structure for every element-wise call, whatever its form,
// and a few entry points for the rest. Plain data, shared by clang (kernels) and g++ (library).
#pragma once

#include <cstdint>

#include "ks/abi.h"

extern "C" {

// Element-wise operations. d is the destination before the call, s the scalar.
enum kse_vector_operation : uint16_t {
  // two sources
  KSE_ADD = 1,
  KSE_SUB,
  KSE_MUL,
  KSE_DIV,
  KSE_MAX,
  KSE_MIN,
  KSE_AND,
  KSE_OR,
  KSE_XOR,
  KSE_ADD_RELU,
  KSE_SUB_RELU,
  KSE_FUSED_MUL_ADD,       // a * d + b
  KSE_FUSED_MUL_ADD_RELU,  // max(a * d + b, 0)
  KSE_MUL_ADD_DST,         // a * b + d
  KSE_POWER,
  KSE_FMOD,
  // one source and a scalar
  KSE_ADDS,
  KSE_MULS,
  KSE_MAXS,
  KSE_MINS,
  KSE_AXPY,  // a * s + d
  KSE_LEAKY_RELU,
  KSE_SHIFT_LEFT,
  KSE_SHIFT_RIGHT,
  KSE_SHIFT_RIGHT_ROUND,
  KSE_POWER_SCALAR,  // a to the power s
  KSE_SCALAR_POWER,  // s to the power a
  KSE_SWISH,         // a / (1 + exp(-s a))
  // one source
  KSE_EXP,
  KSE_LN,
  KSE_ABS,
  KSE_RECIPROCAL,
  KSE_SQRT,
  KSE_RSQRT,
  KSE_NOT,
  KSE_RELU,
  KSE_TANH,
  KSE_SIGMOID,
  KSE_GELU,
  KSE_FASTER_GELU,
  KSE_LOG2,
  KSE_LOG10,
  KSE_ERF,
  KSE_ERFC,
  KSE_SIN,
  KSE_COS,
  KSE_TAN,
  KSE_ASIN,
  KSE_ACOS,
  KSE_ATAN,
  KSE_SINH,
  KSE_COSH,
  KSE_ASINH,
  KSE_ACOSH,
  KSE_ATANH,
  KSE_FLOOR,
  KSE_CEIL,
  KSE_TRUNC,
  KSE_ROUND,  // to even
  KSE_FRAC,
  KSE_SIGN,
  // conversions: `rounding` counts
  KSE_CAST,
  KSE_ADD_RELU_CAST,
  KSE_SUB_RELU_CAST,
  KSE_MUL_CAST,
  KSE_DEQUANT,  // int32 times the deq scale to half
  KSE_ADD_DEQUANT_RELU,
  // no source
  KSE_DUPLICATE,  // s
  KSE_ARANGE,     // s + lane
  // one source, first element only
  KSE_DUPLICATE_FIRST,
};

// Which lanes a call computes.
enum kse_lane_form : uint8_t {
  KSE_LANES_COUNT = 0,       // the first mask[0] elements, contiguous
  KSE_LANES_BITS,            // mask[] of each repeat
  KSE_LANES_PREFIX,          // the first mask[0] lanes of each repeat
  KSE_LANES_REGISTER,        // what SetVectorMask left (isSetMask = false)
  KSE_LANES_REGISTER_COUNT,  // likewise, contiguous
};

struct kse_lanes {
  uint64_t mask[2];
  int32_t repeats;
  uint8_t form;  // kse_lane_form
};

// Strides in blocks of 32 bytes.
struct kse_operand {
  const kse_tensor* tensor;  // null: the operation has no such source
  uint32_t block_stride;
  uint32_t repeat_stride;
};

struct kse_vector_call {
  kse_operand dst;
  kse_operand a;
  kse_operand b;
  kse_lanes lanes;
  uint64_t scalar;     // its bits, in the source's type
  uint16_t operation;  // kse_vector_operation
  uint8_t rounding;    // RoundMode
};

KS_DEVICE void kse_vector_elementwise(const kse_vector_call* call, const kse_where* where);

// first + i * step, `count` elements.
KS_DEVICE void kse_vector_arange(const kse_tensor* dst, uint64_t first, uint64_t step, int64_t count,
                                 const kse_where* where);
// A scalar converted by the scalar unit; bits of the result.
KS_DEVICE uint64_t kse_scalar_cast(float value, uint8_t element, uint8_t rounding);

// Reductions.
enum kse_reduction : uint8_t { KSE_REDUCE_SUM = 0, KSE_REDUCE_MAX, KSE_REDUCE_MIN };
// What Max and Min write per repeat; values as ReduceOrder's.
enum kse_reduce_order : uint8_t { KSE_VALUE_INDEX = 0, KSE_INDEX_VALUE, KSE_ONLY_VALUE, KSE_ONLY_INDEX };
enum kse_reduce_group : uint8_t { KSE_GROUP_REPEAT = 0, KSE_GROUP_BLOCK, KSE_GROUP_PAIR };

// Per repeat, block or pair: dst's repeat_stride counts results, not blocks.
KS_DEVICE void kse_vector_reduce(const kse_operand* dst, const kse_operand* src, const kse_lanes* lanes,
                                 uint8_t reduction, uint8_t group, uint8_t order, const kse_where* where);
// Everything to one element (and its index): ReduceSum, ReduceMax, ReduceMin. dst and workspace null: a sum for the
// register alone.
KS_DEVICE void kse_vector_reduce_all(const kse_tensor* dst, const kse_operand* src, const kse_tensor* workspace,
                                     const kse_lanes* lanes, uint8_t reduction, bool index, const kse_where* where);
// Bits of the last ReduceSum; value and index of the last repeat-wise maximum or minimum.
KS_DEVICE uint64_t kse_vector_accumulated();
KS_DEVICE void kse_vector_extreme(uint64_t* value, uint64_t* index);

// Sum, or mean, of `rows` rows of `n` elements, `inner` apart.
KS_DEVICE void kse_vector_sum_rows(const kse_tensor* dst, const kse_tensor* src, uint32_t rows, uint32_t inner,
                                   uint32_t n, bool mean, uint8_t accumulate, const kse_where* where);

// Mask registers.
KS_DEVICE void kse_vector_set_mask(uint64_t high, uint64_t low);
KS_DEVICE void kse_vector_set_mask_length(int64_t length, bool counter);
KS_DEVICE void kse_vector_set_count_mode(bool counter);
KS_DEVICE void kse_vector_set_deq_scale(uint64_t bits);
// int16 to a byte in the lower or upper half of each block, by the register or (by_lane) by the sixteen words in UB
// that it has the address of.
KS_DEVICE void kse_vector_dequantise(const kse_operand* dst, const kse_operand* src, const kse_lanes* lanes,
                                     bool by_lane, bool upper, const kse_where* where);
KS_DEVICE void kse_vector_set_saturation(bool casts, bool on);
KS_DEVICE bool kse_vector_saturation(bool casts);

// Comparison: values as CMPMODE's.
enum kse_compare : uint8_t { KSE_LT = 0, KSE_GT, KSE_EQ, KSE_LE, KSE_GE, KSE_NE };
// One bit per element to dst, or (dst null) to the compare register. b null: against the scalar.
KS_DEVICE void kse_vector_compare(const kse_tensor* dst, const kse_operand* a, const kse_operand* b, uint64_t scalar,
                                  uint8_t mode, const kse_lanes* lanes, const kse_where* where);
KS_DEVICE void kse_vector_get_compare_mask(const kse_tensor* dst, const kse_where* where);
KS_DEVICE void kse_vector_set_compare_mask(const kse_tensor* src, const kse_where* where);
KS_DEVICE uint64_t kse_vector_compare_mask();  // its low word
// dst = bit ? a : b. b null: against the scalar. selector null: the compare register. per_repeat: every repeat uses
// its own part of the selector, else all use its first bits.
KS_DEVICE void kse_vector_select(const kse_operand* dst, const kse_tensor* selector, const kse_operand* a,
                                 const kse_operand* b, uint64_t scalar, bool per_repeat, const kse_lanes* lanes,
                                 const kse_where* where);

// Gathering. pattern null: the fixed pattern 1 to 7. Returns the number of elements kept.
KS_DEVICE uint64_t kse_vector_gather_mask(const kse_tensor* dst, const kse_operand* src, const kse_operand* pattern,
                                          uint8_t fixed, bool counter, uint32_t mask, int32_t repeats,
                                          const kse_where* where);
KS_DEVICE void kse_vector_gather(const kse_operand* dst, const kse_tensor* src, const kse_tensor* offsets,
                                 uint32_t base, const kse_lanes* lanes, const kse_where* where);
KS_DEVICE void kse_vector_gather_blocks(const kse_operand* dst, const kse_tensor* src, const kse_tensor* offsets,
                                        int32_t repeats, const kse_where* where);
KS_DEVICE void kse_vector_brcb(const kse_operand* dst, const kse_tensor* src, int32_t repeats, const kse_where* where);

// Layout. Sixteen addresses each, as GetPhyAddr gives them.
KS_DEVICE void kse_vector_transpose16(const kse_tensor* dst, const kse_tensor* src, const kse_where* where);
// `type` as TransposeType.
KS_DEVICE void kse_vector_transpose(const kse_tensor* dst, const kse_tensor* src, const kse_tensor* workspace,
                                    uint32_t n, uint32_t c, uint32_t hw, uint8_t type, const kse_where* where);
KS_DEVICE void kse_vector_trans_5hd(uint8_t element, const uint64_t* dst, const uint64_t* src, bool dst_high,
                                    bool src_high, int32_t repeats, uint32_t dst_repeat_stride,
                                    uint32_t src_repeat_stride, const kse_where* where);
// Addresses of sixteen tensors, `step` bytes from one structure to the next; and those that lie in a tensor.
KS_DEVICE void kse_vector_addresses(const kse_tensor* first, uint32_t step, uint64_t* addresses);
KS_DEVICE void kse_vector_load_addresses(const kse_tensor* tensor, uint64_t* addresses, const kse_where* where);
KS_DEVICE void kse_vector_broadcast(const kse_tensor* dst, const kse_tensor* src, const uint32_t* dst_shape,
                                    const uint32_t* src_shape, uint32_t dimensions, const kse_where* where);

// Sorting of (score, index) pairs of 8 bytes.
KS_DEVICE void kse_vector_sort32(const kse_tensor* dst, const kse_tensor* scores, const kse_tensor* indices,
                                 int32_t repeats, const kse_where* where);
KS_DEVICE void kse_vector_merge_sort(const kse_tensor* dst, const kse_tensor* sources, const uint16_t* lengths,
                                     uint32_t valid, bool suspend, int32_t repeats, uint16_t* taken,
                                     const kse_where* where);
KS_DEVICE void kse_vector_merged(uint16_t* taken);  // GetMrgSortResult
KS_DEVICE void kse_vector_sort_all(const kse_tensor* dst, const kse_tensor* concatenated, const kse_tensor* indices,
                                   const kse_tensor* workspace, int32_t repeats, const kse_where* where);
KS_DEVICE void kse_vector_extract(const kse_tensor* values, const kse_tensor* indices, const kse_tensor* sorted,
                                  int32_t repeats, const kse_where* where);
}
