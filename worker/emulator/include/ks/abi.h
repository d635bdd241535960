// Border between kernel code and the emulated device: what the typed headers pass to the operations library, which the
// executor exports as extern "C" functions with the prefix kse_. Plain data, so that clang (kernels) and g++ (library)
// agree. Every tensor argument is passed as const kse_tensor*, every call site as const kse_where*.
//
// Example:
//   extern "C" KS_DEVICE void kse_data_copy(const kse_tensor* dst, const kse_tensor* src, uint64_t elements,
//                                           const kse_where* where);
#pragma once

#include <cstdint>

// Device function in kernel code, plain function in the operations library.
#if defined(KS_LANGUAGE)
#define KS_DEVICE __attribute__((device))
#else
#define KS_DEVICE
#endif

extern "C" {

// Memories; values as in trace.h's Space.
enum kse_space : uint8_t {
  KSE_SPACE_NONE = 0,
  KSE_SPACE_UB,
  KSE_SPACE_L1,
  KSE_SPACE_L0A,
  KSE_SPACE_L0B,
  KSE_SPACE_L0C,
  KSE_SPACE_BIAS,
  KSE_SPACE_FIXBUF,
  KSE_SPACE_GLOBAL,
};

// Element types; values as in trace.h's Element.
enum kse_element : uint8_t {
  KSE_NONE = 0,
  KSE_FLOAT,
  KSE_HALF,
  KSE_BFLOAT16,
  KSE_INT8,
  KSE_UINT8,
  KSE_INT16,
  KSE_UINT16,
  KSE_INT32,
  KSE_UINT32,
  KSE_INT64,
  KSE_UINT64,
  KSE_INT4,
  KSE_DOUBLE,
};

// Queues of a core; values as in trace.h's Pipe.
enum kse_pipe : uint8_t {
  KSE_PIPE_S = 0,
  KSE_PIPE_V,
  KSE_PIPE_M,
  KSE_PIPE_MTE1,
  KSE_PIPE_MTE2,
  KSE_PIPE_MTE3,
  KSE_PIPE_FIX,
  KSE_PIPE_ALL,
};

// Where a call stands in the author's source. The strings are static.
struct kse_where {
  const char* operation;  // "DataCopy"
  const char* file;
  uint32_t line;
};

// A stretch of memory and how it is to be read.
struct kse_tensor {
  uint64_t address;   // bytes from the start of the memory `space` of the core; global memory: device address
  uint64_t bytes;     // from address to the end of the buffer; 0 in global memory: not stated
  uint64_t elements;  // what GetSize returns; not a bound
  uint8_t space;      // kse_space
  uint8_t position;   // TPosition
  uint8_t element;    // kse_element
  uint8_t uncached;   // 1: transfers of it leave the L2 cache alone (SetL2CacheHint)
  uint16_t buffer;    // TPipe buffer it belongs to, in the order of InitBuffer, from 1; 0 unknown
  uint16_t queue;     // number of its queue, from 1; 0 none
};
}
