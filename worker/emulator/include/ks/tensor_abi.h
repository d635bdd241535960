// What LocalTensor and GlobalTensor ask of the operations library.
#pragma once

#include "ks/abi.h"

extern "C" {
// The scalar unit reads or writes `bytes` (at most 8): checks bounds and definedness, records the access.
KS_DEVICE uint64_t kse_get_value(const kse_tensor* tensor, uint64_t byte_offset, uint32_t bytes,
                                 const kse_where* where);
KS_DEVICE void kse_set_value(const kse_tensor* tensor, uint64_t byte_offset, uint32_t bytes, uint64_t value,
                             const kse_where* where);
// Pointer to the byte for direct access, which the instrumentation checks.
KS_DEVICE void* kse_local_pointer(const kse_tensor* tensor, uint64_t byte_offset);
// And back: fills in the address and the memory that a pointer leads to, one of the core's own or global memory.
KS_DEVICE void kse_locate_pointer(const void* pointer, kse_tensor* tensor);
// CheckLocalMemoryIA: register `index` stops the core at accesses to blocks of UB after `begin` up to `end`. `kinds`:
// bits for scalar read and write, vector read and write, transfer read and write; 0 switches it off.
KS_DEVICE void kse_watch(uint32_t index, uint32_t begin, uint32_t end, uint32_t kinds, const kse_where* where);
}
