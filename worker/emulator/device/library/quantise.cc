// AscendQuant, AscendDequant, AscendAntiQuant.
#include <algorithm>
#include <cmath>

#include "worker/emulator/device/library/operations.h"
#include "worker/emulator/device/vector/number.h"

namespace kernelsmith::emulator::library {
namespace {

double Half(double x) {
  return vector::HalfToFloat(vector::FloatToHalf(static_cast<float>(x), vector::Rounding::kRint));
}

}  // namespace

// y = round(x scale + offset), half to even, saturated. The product and the sum are those of half, as documented (a
// float source is brought to half first where it fits).
void Quant(Call& call) {
  const uint64_t count = call.size(0);
  const uint64_t period = call.size(3);
  if (count == 0) return call.Forbid("the number of elements is 0");
  if (call.HasIn(1) && (period == 0 || count % period != 0)) {
    return call.Forbid("calCount has to be a multiple of scaleCount");
  }
  const Values x = call.Read(0, Row(count));
  Values scale(1, std::max<uint64_t>(period, 1));
  Values offset(1, std::max<uint64_t>(period, 1));
  if (call.HasIn(1)) {
    scale = call.Read(1, Row(period));
  } else {
    scale(0, 0) = call.real(0);
  }
  if (call.HasIn(2)) {
    offset = call.Read(2, Row(period));
  } else {
    std::fill(offset.number.begin(), offset.number.end(), call.real(1));
  }
  const bool half = call.TypeOfIn(0) == Element::kHalf;
  Values y(1, count);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t s = call.HasIn(1) ? i % period : 0;
    double value = x(0, i) * scale(0, s);
    if (half) value = Half(value);
    value += offset(0, s);
    if (half) value = Half(value);
    y(0, i) = value;
    y.Defined(0, i) = x.Defined(0, i) & scale.Defined(0, s) & offset.Defined(0, s);
  }
  call.Write(0, Row(count), std::move(y));
  call.Finish(5, Compute::kCast);
}

// y = x scale, each row alone; the low half of a 64-bit scale is a float.
void Dequant(Call& call) {
  const uint64_t rows = call.size(0);
  const uint64_t stored = call.size(1);
  const uint64_t counted = call.size(2);
  if (counted == 0 || counted > stored) return call.Forbid("calCount has to be 1 to n");
  const Values x = call.Read(0, {.rows = rows, .columns = counted, .pitch = stored});
  Values scale(1, counted);
  if (call.HasIn(1)) {
    if (call.TypeOfIn(1) == Element::kUint64) {
      const Values words = call.ReadAs(1, Element::kFloat, Row(2 * counted));
      for (uint64_t c = 0; c < counted; ++c) {
        scale(0, c) = words(0, 2 * c);
        scale.Defined(0, c) = words.Defined(0, 2 * c);
      }
    } else {
      scale = call.Read(1, Row(counted));
    }
  } else {
    std::fill(scale.number.begin(), scale.number.end(), call.real(0));
  }
  Values y(rows, counted);
  for (uint64_t r = 0; r < rows; ++r) {
    for (uint64_t c = 0; c < counted; ++c) {
      y(r, c) = static_cast<double>(static_cast<float>(x(r, c))) * scale(0, c);
      y.Defined(r, c) = x.Defined(r, c) & scale.Defined(0, c);
    }
  }
  const uint64_t block = Call::PerBlock(call.TypeOfOut(0));
  const uint64_t pitch = (stored + block - 1) / block * block;
  call.Write(0, {.rows = rows, .columns = counted, .pitch = pitch}, std::move(y));
  call.Finish(4, Compute::kCast);
}

// y = scale (x + offset). sizes: rows and columns of x, rows and columns of scale and offset: each of their elements
// belongs to as many neighbours as divides the sizes. A scale of one element by value: reals scale, offset.
void AntiQuant(Call& call) {
  const uint64_t rows = call.size(0);
  const uint64_t columns = call.size(1);
  const uint64_t scale_rows = std::max(call.size(2), 1u);
  const uint64_t scale_columns = std::max(call.size(3), 1u);
  if (rows == 0 || columns == 0 || rows % scale_rows != 0 || columns % scale_columns != 0) {
    return call.Forbid("the source does not divide into as many groups as scale has; check k and the shapes");
  }
  const Values x = call.Read(0, Dense(rows, columns));
  Values offset(scale_rows, scale_columns);
  Values scale(scale_rows, scale_columns);
  if (call.HasIn(1)) {
    offset = call.Read(1, Dense(scale_rows, scale_columns));
  } else {
    std::fill(offset.number.begin(), offset.number.end(), call.real(1));
  }
  if (call.HasIn(2)) {
    scale = call.Read(2, Dense(scale_rows, scale_columns));
  } else {
    std::fill(scale.number.begin(), scale.number.end(), call.real(0));
  }
  const bool half = call.TypeOfOut(0) == Element::kHalf;
  Values y(rows, columns);
  for (uint64_t r = 0; r < rows; ++r) {
    for (uint64_t c = 0; c < columns; ++c) {
      const uint64_t sr = r / (rows / scale_rows);
      const uint64_t sc = c / (columns / scale_columns);
      const double sum = x(r, c) + offset(sr, sc);
      // Half results are computed in half, step by step; those of bfloat16_t in float, as documented.
      y(r, c) = (half ? Half(sum) : sum) * scale(sr, sc);
      y.Defined(r, c) = x.Defined(r, c) & offset.Defined(sr, sc) & scale.Defined(sr, sc);
    }
  }
  call.Write(0, Dense(rows, columns), std::move(y));
  call.Finish(6, Compute::kCast);
}

}  // namespace kernelsmith::emulator::library
