#include "worker/runner/tensor_layout.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace kernelsmith::worker {
namespace {

constexpr int kMaxRank = 8;
constexpr int64_t kMaxBytes = int64_t{1} << 40;

absl::Status Reject(const v1::TensorDescriptor& tensor, absl::string_view field, absl::string_view why) {
  return common::InvalidField(field, absl::StrCat("of tensor '", tensor.name(), "' ", why));
}

// Multiplies into *product; false when it leaves [0, kMaxBytes].
bool Multiply(int64_t factor, int64_t* product) {
  return !__builtin_mul_overflow(*product, factor, product) && *product >= 0 && *product <= kMaxBytes;
}

absl::Status CheckFields(const v1::TensorDescriptor& tensor) {
  if (ElementBytes(tensor.dtype()) == 0) return Reject(tensor, "dtype", "is not set");
  if (tensor.format() != v1::FORMAT_UNSPECIFIED && tensor.format() != v1::ND) {
    return Reject(tensor, "format", "is not ND, the only one this target knows");
  }
  if (tensor.shape_size() > kMaxRank) return Reject(tensor, "shape", "has more than 8 dimensions");
  if (tensor.strides_size() != 0 && tensor.strides_size() != tensor.shape_size()) {
    return Reject(tensor, "strides", "are not as many as the dimensions");
  }
  if (tensor.storage_offset() < 0) return Reject(tensor, "storage_offset", "is negative");
  for (const int64_t extent : tensor.shape()) {
    if (extent < 0) return Reject(tensor, "shape", "has a negative extent");
  }
  for (const int64_t stride : tensor.strides()) {
    if (stride < 0) return Reject(tensor, "strides", "has a negative stride");
  }
  return absl::OkStatus();
}

}  // namespace

int64_t ElementBytes(v1::DType dtype) {
  switch (dtype) {
    case v1::INT8:
    case v1::UINT8:
    case v1::BOOL:
      return 1;
    case v1::FP16:
    case v1::BF16:
    case v1::INT16:
      return 2;
    case v1::FP32:
    case v1::INT32:
      return 4;
    case v1::FP64:
    case v1::INT64:
      return 8;
    default:
      return 0;
  }
}

absl::StatusOr<TensorLayout> LayoutOf(const v1::TensorDescriptor& tensor) {
  RETURN_IF_ERROR(CheckFields(tensor));
  TensorLayout layout;
  layout.name = tensor.name();
  layout.dtype = tensor.dtype();
  layout.element_bytes = ElementBytes(tensor.dtype());
  layout.shape.assign(tensor.shape().begin(), tensor.shape().end());
  layout.storage_offset = tensor.storage_offset();
  for (const int64_t extent : layout.shape) {
    if (!Multiply(extent, &layout.elements)) return Reject(tensor, "shape", "has too many elements");
  }
  layout.strides.assign(tensor.strides().begin(), tensor.strides().end());
  if (layout.strides.empty()) {
    layout.strides.assign(layout.shape.size(), 1);
    for (size_t k = layout.shape.size(); k-- > 1;) {
      layout.strides[k - 1] = layout.strides[k] * std::max<int64_t>(1, layout.shape[k]);
    }
  }
  if (layout.elements == 0) return layout;
  int64_t last = layout.storage_offset;
  for (size_t k = 0; k < layout.shape.size(); ++k) {
    int64_t span = layout.shape[k] - 1;
    if (!Multiply(layout.strides[k], &span) || __builtin_add_overflow(last, span, &last)) {
      return Reject(tensor, "strides", "reach too far");
    }
  }
  layout.buffer_bytes = layout.element_bytes;
  if (last >= kMaxBytes || !Multiply(last + 1, &layout.buffer_bytes)) return Reject(tensor, "shape", "is too large");
  layout.has_gaps = layout.buffer_bytes != layout.elements * layout.element_bytes;
  return layout;
}

void ForEachElement(const TensorLayout& layout, absl::FunctionRef<void(int64_t byte_offset)> visit) {
  if (layout.elements == 0) return;
  const size_t rank = layout.shape.size();
  std::vector<int64_t> index(rank, 0);
  int64_t position = layout.storage_offset;
  while (true) {
    visit(position * layout.element_bytes);
    size_t k = rank;
    while (k > 0) {
      --k;
      position += layout.strides[k];
      if (++index[k] < layout.shape[k]) break;
      position -= layout.strides[k] * layout.shape[k];
      index[k] = 0;
      if (k == 0) return;
    }
    if (rank == 0) return;
  }
}

}  // namespace kernelsmith::worker
