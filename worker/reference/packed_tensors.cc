#include "worker/reference/packed_tensors.h"

#include <algorithm>
#include <utility>

#include "common/status.h"

namespace kernelsmith::worker {
namespace {

constexpr int64_t kAlignment = 64;

}  // namespace

absl::StatusOr<PackedTensors> PackedTensors::Create(absl::Span<const v1::TensorDescriptor> tensors,
                                                    SharedMemory::Access access) {
  PackedTensors packed;
  int64_t total = 0;
  for (const v1::TensorDescriptor& tensor : tensors) {
    v1::TensorDescriptor plain = tensor;
    plain.clear_strides();
    plain.clear_storage_offset();
    ASSIGN_OR_RETURN(TensorLayout layout, LayoutOf(plain));
    const int64_t bytes = layout.buffer_bytes;
    packed.tensors_.push_back({std::move(layout), total});
    total += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  ASSIGN_OR_RETURN(packed.memory_, SharedMemory::Create("ks-reference", std::max<int64_t>(total, kAlignment), access));
  return packed;
}

absl::Span<std::byte> PackedTensors::Bytes(int index) {
  const PackedTensor& tensor = tensors_[index];
  return {memory_.data() + tensor.offset, static_cast<size_t>(tensor.layout.buffer_bytes)};
}

absl::Span<const std::byte> PackedTensors::Bytes(int index) const {
  const PackedTensor& tensor = tensors_[index];
  return {memory_.data() + tensor.offset, static_cast<size_t>(tensor.layout.buffer_bytes)};
}

nlohmann::json PackedTensors::Describe() const {
  nlohmann::json result = nlohmann::json::array();
  for (const PackedTensor& tensor : tensors_) {
    result.push_back({{"name", tensor.layout.name},
                      {"dtype", v1::DType_Name(tensor.layout.dtype)},
                      {"shape", tensor.layout.shape},
                      {"offset", tensor.offset}});
  }
  return result;
}

std::vector<v1::TensorDescriptor> ExpectedDescriptors(absl::Span<const v1::TensorDescriptor> outputs) {
  std::vector<v1::TensorDescriptor> expected(outputs.begin(), outputs.end());
  for (v1::TensorDescriptor& tensor : expected) {
    if (tensor.dtype() == v1::FP16 || tensor.dtype() == v1::BF16) tensor.set_dtype(v1::FP32);
  }
  return expected;
}

}  // namespace kernelsmith::worker
