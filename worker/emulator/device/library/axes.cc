// Reductions of a matrix along one axis (ReduceSum and the like with a pattern), ReduceXorSum, CumSum.
#include <algorithm>
#include <cmath>

#include "worker/emulator/device/library/operations.h"

namespace kernelsmith::emulator::library {
namespace {

double Start(uint16_t operation) {
  switch (operation) {
    case KSE_LIB_REDUCE_MAX:
      return -INFINITY;
    case KSE_LIB_REDUCE_MIN:
      return INFINITY;
    case KSE_LIB_REDUCE_PROD:
    case KSE_LIB_REDUCE_ALL:
      return 1;
    default:
      return 0;
  }
}

double Step(uint16_t operation, double so_far, double x) {
  switch (operation) {
    case KSE_LIB_REDUCE_MAX:
      return std::isnan(x) ? x : (x > so_far ? x : so_far);
    case KSE_LIB_REDUCE_MIN:
      return std::isnan(x) ? x : (x < so_far ? x : so_far);
    case KSE_LIB_REDUCE_PROD:
      return so_far * x;
    case KSE_LIB_REDUCE_ANY:
      return so_far != 0 || x != 0 ? 1 : 0;
    case KSE_LIB_REDUCE_ALL:
      return so_far != 0 && x != 0 ? 1 : 0;
    default:
      return so_far + x;
  }
}

}  // namespace

void ReduceAxis(Call& call) {
  const uint64_t rows = call.size(0);
  const uint64_t columns = call.size(1);
  const bool along_rows = call.Has(KSE_ALONG_ROWS);
  if (rows == 0 || columns == 0) return call.Forbid("srcShape has a dimension of 0");
  // Rows are stored in whole blocks; columns beyond the last do not count.
  const uint64_t block = Call::PerBlock(call.TypeOfIn(0));
  const uint64_t pitch = (columns + block - 1) / block * block;
  const Values x = call.Read(0, {.rows = rows, .columns = columns, .pitch = pitch});
  const uint64_t results = along_rows ? columns : rows;
  const uint64_t terms = along_rows ? rows : columns;
  Values y(1, results);
  for (uint64_t i = 0; i < results; ++i) {
    double value = Start(call.abi.operation);
    for (uint64_t k = 0; k < terms; ++k) {
      const uint64_t r = along_rows ? k : i;
      const uint64_t c = along_rows ? i : k;
      value = Step(call.abi.operation, value, x(r, c));
      y.Defined(0, i) &= x.Defined(r, c);
    }
    y(0, i) = call.abi.operation == KSE_LIB_REDUCE_MEAN ? value / static_cast<double>(terms) : value;
  }
  call.Write(0, Row(results), std::move(y));
  call.Finish(2, Compute::kReduceSum);
}

// Sum of a xor b, saturated to int16.
void XorSum(Call& call) {
  const Grid row = Row(call.size(0));
  const Values a = call.Read(0, row);
  const Values b = call.Read(1, row);
  Values y(1, 1);
  for (uint64_t i = 0; i < row.columns; ++i) {
    y(0, 0) += static_cast<double>(static_cast<int16_t>(static_cast<int64_t>(a(0, i)) ^ static_cast<int64_t>(b(0, i))));
  }
  y.Defined(0, 0) = a.AllDefined() && b.AllDefined() ? 1 : 0;
  call.Write(0, Row(1), std::move(y));
  call.Finish(6, Compute::kReduceSum);
}

// Running sums along the last axis, or (KSE_ALONG_ROWS) from row to row; out 1: the last of each.
void CumSum(Call& call) {
  const uint64_t rows = call.size(0);
  const uint64_t columns = call.size(1);
  if (rows == 0 || columns == 0) return call.Forbid("outter and inner have to be at least 1");
  const bool along_rows = call.Has(KSE_ALONG_ROWS);
  Values y = call.Read(0, Dense(rows, columns));
  for (uint64_t r = 0; r < rows; ++r) {
    for (uint64_t c = 0; c < columns; ++c) {
      if ((along_rows ? r : c) == 0) continue;
      const uint64_t br = along_rows ? r - 1 : r;
      const uint64_t bc = along_rows ? c : c - 1;
      y(r, c) += y(br, bc);
      y.Defined(r, c) &= y.Defined(br, bc);
    }
  }
  if (call.HasOut(1)) {
    // The last row as it is, and the last element of each row otherwise.
    Values last(1, along_rows ? columns : rows);
    for (uint64_t i = 0; i < last.columns; ++i) {
      const uint64_t r = along_rows ? rows - 1 : i;
      const uint64_t c = along_rows ? i : columns - 1;
      last(0, i) = y(r, c);
      last.Defined(0, i) = y.Defined(r, c);
    }
    const uint64_t elements = last.columns;
    call.Write(1, Row(elements), std::move(last));
  }
  call.Write(0, Dense(rows, columns), std::move(y));
  call.Finish(along_rows ? 2 : 8);
}

}  // namespace kernelsmith::emulator::library
