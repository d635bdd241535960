// Copies between a contiguous tensor and a buffer with strides and an offset. Pure.
#pragma once

#include <cstddef>

#include "absl/types/span.h"
#include "worker/runner/tensor_layout.h"

namespace kernelsmith::worker {

// Whether elements lie row-major without gaps from the start of the buffer.
bool IsContiguous(const TensorLayout& layout);

// REQUIRES: packed has layout.elements elements, buffer has layout.buffer_bytes.
void Scatter(absl::Span<const std::byte> packed, const TensorLayout& layout, absl::Span<std::byte> buffer);
void Gather(absl::Span<const std::byte> buffer, const TensorLayout& layout, absl::Span<std::byte> packed);

}  // namespace kernelsmith::worker
