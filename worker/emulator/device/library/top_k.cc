// TopK: the k largest or smallest of each row in order, with their indices. Equal values keep their order; NaN comes
// first either way, as documented.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "worker/emulator/device/library/operations.h"

namespace kernelsmith::emulator::library {

void TopK(Call& call) {
  const uint64_t rows = call.size(0);
  const uint64_t columns = call.size(1);
  const uint64_t counted = call.size(2);
  const uint64_t k = call.size(3);
  if (rows == 0 || counted == 0 || counted > columns || k == 0 || k > counted) {
    return call.Forbid("k has to be 1 to n, and n at most inner");
  }
  const bool smallest = call.Has(KSE_SMALLEST);
  const Values x = call.Read(0, {.rows = rows, .columns = counted, .pitch = columns});
  // One row of indices serves all rows, or each has its own (size 6: elements from one row's to the next).
  Values indices(1, counted);
  std::iota(indices.number.begin(), indices.number.end(), 0.0);
  const uint64_t index_pitch = call.size(6);
  if (call.HasIn(1)) {
    indices = call.Read(1, {.rows = index_pitch == 0 ? 1 : rows, .columns = counted, .pitch = index_pitch});
  }
  const Values finished = call.HasIn(2) ? call.Read(2, Row(rows)) : Values(1, rows);
  Values values(rows, k);
  Values places(rows, k);
  std::vector<uint64_t> order(counted);
  for (uint64_t r = 0; r < rows; ++r) {
    std::iota(order.begin(), order.end(), uint64_t{0});
    std::stable_sort(order.begin(), order.end(), [&](uint64_t a, uint64_t b) {
      const double va = x(r, a);
      const double vb = x(r, b);
      if (std::isnan(va) || std::isnan(vb)) return std::isnan(va) && !std::isnan(vb);
      return smallest ? va < vb : va > vb;
    });
    const uint8_t defined = x.RowDefined(r, counted) ? 1 : 0;
    const bool invalid = call.HasIn(2) && finished(0, r) != 0;
    const uint64_t index_row = call.HasIn(1) && index_pitch != 0 ? r : 0;
    for (uint64_t i = 0; i < k; ++i) {
      values(r, i) = x(r, order[i]);
      values.Defined(r, i) = defined;
      places(r, i) = invalid ? static_cast<double>(counted) : indices(index_row, order[i]);
      places.Defined(r, i) = invalid ? 1 : defined & indices.Defined(index_row, order[i]);
    }
  }
  call.Write(0, {.rows = rows, .columns = k, .pitch = call.size(4)}, std::move(values));
  call.Write(1, {.rows = rows, .columns = k, .pitch = call.size(5)}, std::move(places));
  call.Finish(4, Compute::kSort);
}

}  // namespace kernelsmith::emulator::library
