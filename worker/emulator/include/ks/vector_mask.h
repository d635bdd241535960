// Which lanes calls with isSetMask = false compute, and how results that do not fit are treated.
//
// Example:
//   AscendC::SetMaskNorm();
//   AscendC::SetVectorMask<half, AscendC::MaskMode::NORMAL>(100);
//   AscendC::Adds<half, false>(y, x, half(1), AscendC::MASK_PLACEHOLDER, 4, {1, 1, 8, 8});
//   AscendC::ResetMask();
#pragma once

#include "ks/vector_call.h"

namespace AscendC {

// Bits of a repeat; in counter mode `maskLow` elements.
template <typename T, MaskMode mode = MaskMode::NORMAL>
__aicore__ inline void SetVectorMask(const uint64_t maskHigh, const uint64_t maskLow) {
  if constexpr (mode == MaskMode::COUNTER) {
    kse_vector_set_mask_length(static_cast<int64_t>(maskLow), true);
  } else {
    kse_vector_set_mask(maskHigh, maskLow);
  }
}
// The first `len` lanes of a repeat; in counter mode `len` elements.
template <typename T, MaskMode mode = MaskMode::NORMAL>
__aicore__ inline void SetVectorMask(int32_t len) {
  kse_vector_set_mask_length(len, mode == MaskMode::COUNTER);
}
__aicore__ inline void ResetMask() { kse_vector_set_mask(~uint64_t{0}, ~uint64_t{0}); }
__aicore__ inline void SetMaskCount() { kse_vector_set_count_mode(true); }
__aicore__ inline void SetMaskNorm() { kse_vector_set_count_mode(false); }

// FLOAT: half and bfloat16_t results clamp to the largest number, NaN becomes 0. CAST: conversions to integers clamp.
template <SaturationMode mode>
__aicore__ inline void SetSaturationFlag(bool enableSat) {
  kse_vector_set_saturation(mode == SaturationMode::CAST, enableSat);
}
template <SaturationMode mode>
__aicore__ inline bool GetSaturationFlag() {
  return kse_vector_saturation(mode == SaturationMode::CAST);
}

}  // namespace AscendC
