// Redraws a secret slice of a slot's inputs before each timed batch, so that no answer can be remembered from an
// earlier call. New values come from elsewhere in the same pristine tensor: their distribution, and the range of an
// index, hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/random/bit_gen_ref.h"
#include "absl/types/span.h"

namespace kernelsmith::worker {

struct RedrawOptions {
  double fraction = 0.25;     // of the elements
  int64_t min_elements = 64;  // a small tensor is redrawn nearly whole
  int64_t max_block = 4096;   // elements copied at a time
};

// Replaces blocks of `tensor` at random places by blocks of `pristine` from random other places. Both are contiguous
// with elements of `width` bytes and equal size; `pristine` is what the tensor was first filled with.
void RedrawSlice(absl::Span<const std::byte> pristine, int64_t width, absl::Span<std::byte> tensor,
                 const RedrawOptions& options, absl::BitGenRef random);

}  // namespace kernelsmith::worker
