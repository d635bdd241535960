// Select by a mask of bytes, and DropOut.
#include <cmath>

#include "worker/emulator/device/library/operations.h"

namespace kernelsmith::emulator::library {

// Mask 0: the first operand. KSE_SCALAR_FIRST: the first operand is the scalar.
void SelectBytes(Call& call) {
  const uint64_t rows = call.size(0);
  const uint64_t columns = call.size(1);
  const uint64_t mask_columns = call.size(2);
  if (rows == 0 || columns == 0 || mask_columns < columns) {
    return call.Forbid("maskLastAxis has to be at least srcLastAxis, and both axes at least 1");
  }
  Values y = call.Read(0, Dense(rows, columns));
  const Values mask = call.Read(1, {.rows = rows, .columns = columns, .pitch = mask_columns});
  for (uint64_t r = 0; r < rows; ++r) {
    for (uint64_t c = 0; c < columns; ++c) {
      const bool second = mask(r, c) != 0;
      if (second != call.Has(KSE_SCALAR_FIRST)) {
        y(r, c) = call.real(0);
        y.Defined(r, c) = 1;
      }
      y.Defined(r, c) &= mask.Defined(r, c);
    }
  }
  call.Write(0, Dense(rows, columns), std::move(y));
  call.Finish(4, Compute::kSelect);
}

// x / keep where the mask holds, else 0. KSE_BITS: one bit an element, the first element lowest.
void DropOut(Call& call) {
  const uint64_t rows = call.size(0);
  const uint64_t columns = call.size(1);
  const uint64_t mask_columns = call.size(2);
  const bool bits = call.Has(KSE_BITS);
  if (!(call.real(0) > 0) || rows == 0 || mask_columns < (bits ? (columns + 7) / 8 : columns)) {
    return call.Forbid("keepProb has to be in (0, 1), and the mask as wide as the source");
  }
  Values y = call.Read(0, Dense(rows, columns));
  const uint64_t used = bits ? (columns + 7) / 8 : columns;
  const Values mask = call.Read(1, {.rows = rows, .columns = used, .pitch = mask_columns});
  for (uint64_t r = 0; r < rows; ++r) {
    for (uint64_t c = 0; c < columns; ++c) {
      const uint64_t at = bits ? c / 8 : c;
      const auto value = static_cast<uint64_t>(mask(r, at));
      const bool keep = bits ? (value >> (c % 8) & 1) != 0 : value != 0;
      y(r, c) = keep ? y(r, c) / call.real(0) : 0;
      y.Defined(r, c) = keep ? y.Defined(r, c) & mask.Defined(r, at) : mask.Defined(r, at);
    }
  }
  call.Write(0, Dense(rows, columns), std::move(y));
  call.Finish(4, Compute::kSelect);
}

}  // namespace kernelsmith::emulator::library
