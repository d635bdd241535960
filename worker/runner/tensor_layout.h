// How a TensorDescriptor lies in memory: element size, strides made explicit, bytes of the whole buffer. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "kernelsmith/v1/types.pb.h"

namespace kernelsmith::worker {

struct TensorLayout {
  std::string name;
  v1::DType dtype = v1::DTYPE_UNSPECIFIED;
  int64_t element_bytes = 0;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  // elements, as many as shape
  int64_t storage_offset = 0;    // elements
  int64_t elements = 1;          // product of the shape
  int64_t buffer_bytes = 0;      // from the start of the buffer to the end of the last element; 0 if elements is 0
  bool has_gaps = false;         // some bytes of the buffer belong to no element
};

// Bytes of one element; 0 for DTYPE_UNSPECIFIED.
int64_t ElementBytes(v1::DType dtype);

// INVALID_ARGUMENT names the tensor and the field: unknown type, negative extent, stride or offset, as many strides as
// dimensions, more than 8 dimensions, a format other than ND, more than 2^40 bytes.
absl::StatusOr<TensorLayout> LayoutOf(const v1::TensorDescriptor& tensor);

// Calls visit with the byte offset of every element within its buffer, in row-major order of the index.
void ForEachElement(const TensorLayout& layout, absl::FunctionRef<void(int64_t byte_offset)> visit);

}  // namespace kernelsmith::worker
