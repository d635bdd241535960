// Contiguous tensors side by side in one shared block: what goes to and comes from the reference process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "nlohmann/json.hpp"
#include "worker/runner/shared_memory.h"
#include "worker/runner/tensor_layout.h"

namespace kernelsmith::worker {

struct PackedTensor {
  TensorLayout layout;  // contiguous, storage offset 0
  int64_t offset = 0;   // bytes from the start of the block
};

// Thread-compatible.
class PackedTensors {
 public:
  PackedTensors() = default;
  // Lays out tensors of these types and shapes, 64-byte aligned, and allocates zeroed memory. Strides and storage
  // offsets of the descriptors are ignored: the reference sees contiguous tensors.
  static absl::StatusOr<PackedTensors> Create(absl::Span<const v1::TensorDescriptor> tensors,
                                              SharedMemory::Access access);

  int size() const { return static_cast<int>(tensors_.size()); }
  const TensorLayout& layout(int index) const { return tensors_[index].layout; }
  absl::Span<std::byte> Bytes(int index);
  absl::Span<const std::byte> Bytes(int index) const;
  const SharedMemory& memory() const { return memory_; }

  // [{"name", "dtype", "shape", "offset"}, ...], as the reference process wants it.
  nlohmann::json Describe() const;

 private:
  std::vector<PackedTensor> tensors_;
  SharedMemory memory_;
};

// Types of the expected values of these outputs: float and half types as FP32, the others as they are.
std::vector<v1::TensorDescriptor> ExpectedDescriptors(absl::Span<const v1::TensorDescriptor> outputs);

}  // namespace kernelsmith::worker
