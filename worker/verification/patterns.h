// Says in words which elements of an output are wrong, which often names the bug: a tail after the last whole vector,
// every row from one on, one column of every row. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"

namespace kernelsmith::worker {

// What is known about each element, in row-major order.
struct WrongElements {
  std::vector<int64_t> shape;
  std::vector<uint8_t> wrong;   // 1 where outside the tolerance
  std::vector<uint8_t> poison;  // 1 where the bytes from before the call are still there; empty if unknown
};

// REQUIRES: at least one element is wrong. got and want give the value of an element by its row-major index.
std::string DescribePattern(const WrongElements& elements, absl::FunctionRef<double(int64_t)> got,
                            absl::FunctionRef<double(int64_t)> want);

// Multi-index of a row-major index.
std::vector<int64_t> MultiIndex(int64_t index, absl::Span<const int64_t> shape);

}  // namespace kernelsmith::worker
