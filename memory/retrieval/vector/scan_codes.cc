#include "memory/retrieval/vector/scan_codes.h"

namespace kernelsmith::memory {

size_t ScanCodes::memory_bytes() const {
  return (list_begin.capacity() + directions.capacity() + prototypes.capacity()) * sizeof(uint32_t) +
         centroids.memory_bytes() + codes.size();
}

std::vector<uint32_t> BlockBegins(const std::vector<uint32_t>& list_begin) {
  std::vector<uint32_t> begins(1, 0);
  begins.reserve(list_begin.size());
  for (size_t list = 0; list + 1 < list_begin.size(); ++list) {
    begins.push_back(begins.back() + static_cast<uint32_t>(BlocksFor(list_begin[list + 1] - list_begin[list])));
  }
  return begins;
}

void Project(const std::vector<float>& directions, int dimensions, const int8_t* row, float inverse_length,
             std::vector<float>& out) {
  const auto width = static_cast<size_t>(dimensions);
  std::vector<float> numbers(width);
  for (size_t d = 0; d < width; ++d) numbers[d] = static_cast<float>(row[d]);
  out.resize(directions.size() / width);
  for (size_t k = 0; k < out.size(); ++k) {
    const float* const direction = directions.data() + k * width;
    float sums[8] = {};  // so that the compiler may add eight at a time
    size_t d = 0;
    for (; d + 8 <= width; d += 8) {
      for (size_t i = 0; i < 8; ++i) sums[i] += direction[d + i] * numbers[d + i];
    }
    for (; d < width; ++d) sums[0] += direction[d] * numbers[d];
    out[k] =
        inverse_length * (((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7])));
  }
}

}  // namespace kernelsmith::memory
