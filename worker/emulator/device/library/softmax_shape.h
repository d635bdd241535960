// Shapes that the softmax functions share: rows of `columns` elements, of which the first `real` count, and beside them
// one block of 32 bytes (or one element) a row for sums and maxima.
#pragma once

#include "worker/emulator/device/library/call.h"

namespace kernelsmith::emulator::library {

struct SoftMaxShape {
  explicit SoftMaxShape(const Call& call)
      : rows(call.size(0)),
        columns(call.size(1)),
        real(call.size(2) == 0 || call.size(2) > call.size(1) ? call.size(1) : call.size(2)),
        fractal(call.Has(KSE_SOFTMAX_FRACTAL)),
        one_a_row(call.Has(KSE_SOFTMAX_ONE_A_ROW)) {}

  Grid Data() const {
    return {.rows = rows, .columns = columns, .pitch = fractal ? rows : columns, .fractal = fractal ? 16u : 0u};
  }
  // Where the value of each row lies in a tensor of sums or maxima, repeated over its block.
  Grid Side(Element type) const { return Dense(rows, one_a_row ? 1 : Call::PerBlock(type)); }
  Values Spread(const std::vector<double>& value, const std::vector<uint8_t>& defined, Element type) const {
    const Grid grid = Side(type);
    Values side(grid.rows, grid.columns);
    for (uint64_t r = 0; r < grid.rows; ++r) {
      for (uint64_t c = 0; c < grid.columns; ++c) {
        side(r, c) = value[r];
        side.Defined(r, c) = defined[r];
      }
    }
    return side;
  }

  uint64_t rows;
  uint64_t columns;
  uint64_t real;
  bool fractal;
  bool one_a_row;
};

}  // namespace kernelsmith::emulator::library
