// What a candidate for the cpu target sees: one C++20 source that defines
//
//   extern "C" int ks_kernel(const ks_call* call);   // 0 on success
//
// Inputs are read-only; a write to one ends the process. Outputs hold arbitrary bytes before the call and must be
// written whole. The call is over when ks_kernel returns: threads it started must have been joined. Buffers are 64-byte
// aligned. This header is plain C and is on the include path of every candidate as <kernelsmith/kernel_abi.h>.
#ifndef KERNELSMITH_KERNEL_ABI_H_
#define KERNELSMITH_KERNEL_ABI_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KS_ABI_VERSION 1

// Same numbers as kernelsmith.v1.DType.
typedef enum ks_dtype {
  KS_FP32 = 1,
  KS_FP16 = 2,
  KS_BF16 = 3,
  KS_FP64 = 4,
  KS_INT8 = 5,
  KS_INT16 = 6,
  KS_INT32 = 7,
  KS_INT64 = 8,
  KS_UINT8 = 9,
  KS_BOOL = 10
} ks_dtype;

typedef struct ks_tensor {
  void* data;              // first byte of element (0, 0, ...): the storage offset is applied already
  int32_t dtype;           // ks_dtype
  int32_t rank;            // number of dimensions; 0 for a scalar
  const int64_t* shape;    // elements per dimension, `rank` values
  const int64_t* strides;  // elements per step, `rank` values
  int64_t elements;        // product of the shape
} ks_tensor;

typedef struct ks_attribute {
  const char* name;
  const char* json;  // value as a JSON literal
} ks_attribute;

typedef struct ks_call {
  uint32_t abi_version;  // KS_ABI_VERSION
  uint32_t cpu_count;    // threads the candidate may run at once
  uint32_t n_inputs;
  uint32_t n_outputs;
  uint32_t n_attributes;
  uint32_t reserved;
  const ks_tensor* inputs;  // arguments first, then parameters
  const ks_tensor* outputs;
  const ks_attribute* attributes;
} ks_call;

#ifdef __cplusplus
}
#endif

#endif  // KERNELSMITH_KERNEL_ABI_H_
