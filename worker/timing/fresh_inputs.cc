#include "worker/timing/fresh_inputs.h"

#include <algorithm>
#include <cstring>

#include "absl/random/random.h"

namespace kernelsmith::worker {

void RedrawSlice(absl::Span<const std::byte> pristine, int64_t width, absl::Span<std::byte> tensor,
                 const RedrawOptions& options, absl::BitGenRef random) {
  const int64_t elements = static_cast<int64_t>(pristine.size()) / width;
  if (elements < 2) return;
  int64_t left = std::min(
      elements, std::max(options.min_elements, static_cast<int64_t>(options.fraction * static_cast<double>(elements))));
  while (left > 0) {
    const int64_t block = std::min({left, options.max_block, std::max<int64_t>(1, elements / 2)});
    const int64_t to = absl::Uniform<int64_t>(random, 0, elements - block + 1);
    const int64_t from = absl::Uniform<int64_t>(random, 0, elements - block + 1);
    std::memcpy(tensor.data() + to * width, pristine.data() + from * width, static_cast<size_t>(block * width));
    left -= block;
  }
}

}  // namespace kernelsmith::worker
