// SoftmaxFlash, SoftmaxFlashV2 and SoftmaxFlashV3: softmax of a row that comes in parts. With KSE_SOFTMAX_UPDATE the
// sums and maxima of the parts before are taken in, and the factor by which their results shrink is put out.
#include <algorithm>
#include <cmath>
#include <vector>

#include "worker/emulator/device/library/operations.h"
#include "worker/emulator/device/library/softmax_shape.h"

namespace kernelsmith::emulator::library {
namespace {

// One value a row.
struct Column {
  std::vector<double> number;
  std::vector<uint8_t> defined;

  explicit Column(uint64_t rows) : number(rows), defined(rows, 1) {}
};

Column Side(Call& call, int in, const SoftMaxShape& shape) {
  Column column(shape.rows);
  const Values values = call.Read(in, shape.Side(call.TypeOfIn(in)));
  for (uint64_t r = 0; r < shape.rows; ++r) {
    column.number[r] = values(r, 0);
    column.defined[r] = values.Defined(r, 0);
  }
  return column;
}

void Put(Call& call, int out, const SoftMaxShape& shape, const Column& column) {
  if (!call.HasOut(out)) return;
  const Element type = call.TypeOfOut(out);
  call.Write(out, shape.Side(type), shape.Spread(column.number, column.defined, type));
}

double Maximum(const Values& x, uint64_t row, uint64_t n) {
  double maximum = -INFINITY;
  for (uint64_t c = 0; c < n; ++c) maximum = std::max(maximum, x(row, c));
  return maximum;
}

// `divide`: SoftmaxFlash gives quotients, SoftmaxFlashV2 leaves the division to the end of all parts.
void Flash(Call& call, bool divide) {
  const SoftMaxShape shape(call);
  const bool update = call.Has(KSE_SOFTMAX_UPDATE);
  const Values x = call.Read(0, shape.Data());
  Column before_sum(shape.rows);
  Column before_max(shape.rows);
  if (update) {
    before_sum = Side(call, 1, shape);
    before_max = Side(call, 2, shape);
  }
  Values y(shape.rows, shape.columns);
  Column sum(shape.rows);
  Column maximum(shape.rows);
  Column own_maximum(shape.rows);
  Column factor(shape.rows);
  for (uint64_t r = 0; r < shape.rows; ++r) {
    own_maximum.number[r] = Maximum(x, r, shape.real);
    maximum.number[r] = update ? std::max(own_maximum.number[r], before_max.number[r]) : own_maximum.number[r];
    uint8_t defined = x.RowDefined(r, shape.real) ? 1 : 0;
    own_maximum.defined[r] = defined;
    if (update) defined = defined & before_sum.defined[r] & before_max.defined[r];
    for (uint64_t c = 0; c < shape.columns; ++c) {
      y(r, c) = std::exp(x(r, c) - maximum.number[r]);
      y.Defined(r, c) = defined & x.Defined(r, c);
      if (c < shape.real) sum.number[r] += y(r, c);
    }
    if (update) {
      factor.number[r] = std::exp(before_max.number[r] - maximum.number[r]);
      sum.number[r] += factor.number[r] * before_sum.number[r];
      if (divide) factor.number[r] *= before_sum.number[r] / sum.number[r];
    }
    if (divide) {
      for (uint64_t c = 0; c < shape.columns; ++c) y(r, c) /= sum.number[r];
    }
    sum.defined[r] = maximum.defined[r] = factor.defined[r] = defined;
  }
  call.Write(0, shape.Data(), std::move(y));
  Put(call, 1, shape, sum);
  Put(call, 2, shape, maximum);
  if (update) {
    Put(call, 3, shape, factor);
    Put(call, 4, shape, own_maximum);
  }
  call.Finish(divide ? 16 : 13);
}

}  // namespace

void SoftMaxFlash(Call& call) { Flash(call, true); }
void SoftMaxFlash2(Call& call) { Flash(call, false); }

// Sums of the eight groups whose means stand for the eight parts of a row (CANN docs, SoftmaxFlashV3): of the first 512
// elements each 64 in a row are a group; of the 64 elements of every later repeat each eight in a row join one.
std::vector<double> GroupSums(const Values& x, uint64_t row, uint64_t columns) {
  constexpr uint64_t kGroups = 8, kRepeat = 64;
  std::vector<double> sums(kGroups);
  for (uint64_t c = 0; c < columns; ++c) {
    sums[c < kGroups * kRepeat ? c / kRepeat : c % kRepeat / kGroups] += x(row, c);
  }
  return sums;
}

// Softmax with a shifted mean (PASA): parts of a row are centred on the mean of the row before exp.
void SoftMaxFlash3(Call& call) {
  const SoftMaxShape shape(call);
  const bool update = call.Has(KSE_SOFTMAX_UPDATE);
  const double round = call.size(4);
  constexpr uint64_t kParts = 8;
  const double scalar = call.real(0) / (1 - call.real(0));
  if (call.size(5) != kParts || shape.columns < 512 || shape.columns % 64 != 0) {
    return call.Forbid("splitMeanCnt is 8, and a row has at least 512 elements, a multiple of 64");
  }
  Values x = call.Read(0, shape.Data());
  Column before_sum(shape.rows);
  Column before_max(shape.rows);
  Column before_mean(shape.rows);
  if (update) {
    before_sum = Side(call, 1, shape);
    before_max = Side(call, 2, shape);
    before_mean = Side(call, 3, shape);
  }
  const uint64_t width = shape.columns / kParts;
  Values y(shape.rows, shape.columns);
  Column sum(shape.rows);
  Column maximum(shape.rows);
  Column mean(shape.rows);
  Column factor(shape.rows);
  for (uint64_t r = 0; r < shape.rows; ++r) {
    uint8_t defined = x.RowDefined(r, shape.columns) ? 1 : 0;
    if (update) defined = defined & before_sum.defined[r] & before_max.defined[r] & before_mean.defined[r];
    const std::vector<double> local = GroupSums(x, r, shape.columns);
    double whole = 0;
    for (const double group : local) whole += group;
    whole /= static_cast<double>(shape.columns);
    for (uint64_t c = 0; c < shape.columns; ++c) {
      x(r, c) -= (whole - local[c / width] / static_cast<double>(width)) * scalar;
    }
    mean.number[r] = update ? (whole + before_mean.number[r] * (round - 1)) / round : whole;
    const double shift = (whole - mean.number[r]) * scalar;
    maximum.number[r] = shift + Maximum(x, r, shape.columns);
    if (update) {
      const double shift_before = (before_mean.number[r] - mean.number[r]) * scalar;
      maximum.number[r] = std::max(maximum.number[r], shift_before + before_max.number[r]);
      factor.number[r] = std::exp(before_max.number[r] - maximum.number[r] + shift_before);
    }
    for (uint64_t c = 0; c < shape.columns; ++c) {
      y(r, c) = std::exp(x(r, c) - (maximum.number[r] - shift));
      y.Defined(r, c) = defined;
      sum.number[r] += y(r, c);
    }
    if (update) sum.number[r] += factor.number[r] * before_sum.number[r];
    sum.defined[r] = maximum.defined[r] = mean.defined[r] = factor.defined[r] = defined;
  }
  call.Write(0, shape.Data(), std::move(y));
  Put(call, 1, shape, sum);
  Put(call, 2, shape, maximum);
  if (update) Put(call, 3, shape, factor);
  Put(call, 4, shape, mean);
  call.Finish(22);
}

}  // namespace kernelsmith::emulator::library
