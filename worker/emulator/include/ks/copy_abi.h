// Transfers, as the operations library takes them: all lengths and strides in bytes.
#pragma once

#include "ks/abi.h"

extern "C" {

// `count` bursts of `bytes`; a stride leads from the start of a burst to the start of the next.
struct kse_bursts {
  uint32_t count;
  uint32_t bytes;
  uint64_t dst_stride;
  uint64_t src_stride;
};

// What fills the rest of a block behind and before each burst (DataCopyPad to local memory).
struct kse_padding {
  uint8_t by_value;  // 1: `value`; 0: SetPadValue's, and undefined where a side is asked for without it
  uint8_t left;      // elements
  uint8_t right;     // elements
  uint8_t element_bytes;
  uint64_t value;  // its bits
};

// DataCopy: `bytes` in one piece. Hardware cuts it to a multiple of 32.
KS_DEVICE void kse_copy_linear(const kse_tensor* dst, const kse_tensor* src, uint64_t bytes, const kse_where* where);
// DataCopy in bursts of whole blocks.
KS_DEVICE void kse_copy_bursts(const kse_tensor* dst, const kse_tensor* src, const kse_bursts* bursts,
                               const kse_where* where);
// DataCopyPad. Strides of the local side are those of its padded bursts.
KS_DEVICE void kse_copy_pad_in(const kse_tensor* dst, const kse_tensor* src, const kse_bursts* bursts,
                               const kse_padding* padding, const kse_where* where);
KS_DEVICE void kse_copy_pad_out(const kse_tensor* dst, const kse_tensor* src, const kse_bursts* bursts,
                                const kse_where* where);
KS_DEVICE void kse_set_pad_value(uint64_t bits, uint32_t element_bytes);
// Copy: repeats of up to 256 bytes between places in UB, strides in blocks. `lanes` null: by the mask register; else
// `bits` says whether it is two words of bits or a number of lanes.
KS_DEVICE void kse_copy_masked(const kse_tensor* dst, const kse_tensor* src, const uint64_t* lanes, uint32_t bits,
                               uint32_t repeats, uint32_t dst_block_stride, uint32_t src_block_stride,
                               uint32_t dst_repeat_stride, uint32_t src_repeat_stride, const kse_where* where);
// Fill and InitOutput: `elements` of global memory get a value.
KS_DEVICE void kse_fill_global(const kse_tensor* dst, uint64_t elements, uint32_t element_bytes, uint64_t bits,
                               const kse_where* where);

// Atomic writes: 0 none, 1 add, 2 maximum, 3 minimum of kse_element.
KS_DEVICE void kse_set_atomic(uint32_t operation, uint8_t element, const kse_where* where);
KS_DEVICE void kse_get_atomic(uint32_t* operation, uint8_t* element);
}
