#include "worker/verification/strided.h"

#include <cstring>

namespace kernelsmith::worker {

bool IsContiguous(const TensorLayout& layout) {
  if (layout.storage_offset != 0) return false;
  int64_t expected = 1;
  for (size_t d = layout.shape.size(); d-- > 0;) {
    if (layout.shape[d] != 1 && layout.strides[d] != expected) return false;
    expected *= layout.shape[d];
  }
  return true;
}

void Scatter(absl::Span<const std::byte> packed, const TensorLayout& layout, absl::Span<std::byte> buffer) {
  if (IsContiguous(layout)) {
    if (!packed.empty()) std::memcpy(buffer.data(), packed.data(), packed.size());
    return;
  }
  const std::byte* source = packed.data();
  ForEachElement(layout, [&](int64_t offset) {
    std::memcpy(buffer.data() + offset, source, layout.element_bytes);
    source += layout.element_bytes;
  });
}

void Gather(absl::Span<const std::byte> buffer, const TensorLayout& layout, absl::Span<std::byte> packed) {
  if (IsContiguous(layout)) {
    if (!packed.empty()) std::memcpy(packed.data(), buffer.data(), packed.size());
    return;
  }
  std::byte* target = packed.data();
  ForEachElement(layout, [&](int64_t offset) {
    std::memcpy(target, buffer.data() + offset, layout.element_bytes);
    target += layout.element_bytes;
  });
}

}  // namespace kernelsmith::worker
