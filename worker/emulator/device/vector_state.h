// Registers of the vector unit that outlive an instruction. Reset at the start of each block.
#pragma once

#include <cstdint>

namespace kernelsmith::emulator {

struct VectorState {
  uint64_t mask_low = ~uint64_t{0};  // SetVectorMask; in counter mode the element count
  uint64_t mask_high = ~uint64_t{0};
  bool count_mode = false;            // SetMaskCount / SetMaskNorm
  uint64_t deq_scale = 0;             // SetDeqScale, as set
  uint64_t compare_mask[2] = {0, 0};  // what Compare without a destination leaves (GetCmpMask, SetCmpMask)
  int64_t accumulated = 0;            // bits of the sum that GetAccVal returns
  uint64_t reduce_extreme = 0;        // value and index that GetReduceMaxMinCount returns, as bits
  uint64_t reduce_index = 0;
  uint16_t merged[4] = {0, 0, 0, 0};  // pairs that the last MrgSort took from each list (GetMrgSortResult)
  bool saturate_float = false;        // SetSaturationFlag: half and bfloat16 results clamp instead of infinity
  bool saturate_cast = true;          // conversions to integers clamp instead of keeping the low bits
};

}  // namespace kernelsmith::emulator
