// SoftMax, SimpleSoftMax, LogSoftMax, SoftmaxGrad and SoftmaxGradFront, AdjustSoftMaxRes. Columns behind the last that
// counts are carried along, as documented: the API computes something there too, and nothing depends on it.
#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "worker/emulator/device/library/operations.h"
#include "worker/emulator/device/library/softmax_shape.h"

namespace kernelsmith::emulator::library {
namespace {

double Maximum(const Values& x, uint64_t row, uint64_t n) {
  double maximum = -INFINITY;
  for (uint64_t c = 0; c < n; ++c) {
    if (std::isnan(x(row, c))) return NAN;
    maximum = std::max(maximum, x(row, c));
  }
  return maximum;
}

}  // namespace

void SoftMax(Call& call) {
  const SoftMaxShape shape(call);
  const Values x = call.Read(0, shape.Data());
  Values y(shape.rows, shape.columns);
  std::vector<double> sums(shape.rows);
  std::vector<double> maxima(shape.rows);
  std::vector<uint8_t> defined(shape.rows);
  for (uint64_t r = 0; r < shape.rows; ++r) {
    maxima[r] = Maximum(x, r, shape.real);
    defined[r] = x.RowDefined(r, shape.real) ? 1 : 0;
    for (uint64_t c = 0; c < shape.columns; ++c) {
      y(r, c) = std::exp(x(r, c) - maxima[r]);
      y.Defined(r, c) = defined[r] & x.Defined(r, c);
      if (c < shape.real) sums[r] += y(r, c);
    }
    for (uint64_t c = 0; c < shape.columns; ++c) y(r, c) /= sums[r];
  }
  call.Write(0, shape.Data(), std::move(y));
  if (call.HasOut(1)) {
    call.Write(1, shape.Side(call.TypeOfOut(1)), shape.Spread(sums, defined, call.TypeOfOut(1)));
    call.Write(2, shape.Side(call.TypeOfOut(2)), shape.Spread(maxima, defined, call.TypeOfOut(2)));
  }
  call.Finish(14);
}

void SimpleSoftMax(Call& call) {
  const SoftMaxShape shape(call);
  const Values x = call.Read(0, shape.Data());
  const Values sum = call.Read(1, shape.Side(call.TypeOfIn(1)));
  const Values maximum = call.Read(2, shape.Side(call.TypeOfIn(2)));
  Values y(shape.rows, shape.columns);
  for (uint64_t r = 0; r < shape.rows; ++r) {
    for (uint64_t c = 0; c < shape.columns; ++c) {
      y(r, c) = std::exp(x(r, c) - maximum(r, 0)) / sum(r, 0);
      y.Defined(r, c) = x.Defined(r, c) & sum.Defined(r, 0) & maximum.Defined(r, 0);
    }
  }
  call.Write(0, shape.Data(), std::move(y));
  call.Finish(5);
}

// To base 10, as the documentation's formula and its example have it.
void LogSoftMax(Call& call) {
  const SoftMaxShape shape(call);
  const Values x = call.Read(0, shape.Data());
  Values y(shape.rows, shape.columns);
  std::vector<double> sums(shape.rows);
  std::vector<double> maxima(shape.rows);
  std::vector<uint8_t> defined(shape.rows);
  for (uint64_t r = 0; r < shape.rows; ++r) {
    maxima[r] = Maximum(x, r, shape.real);
    defined[r] = x.RowDefined(r, shape.real) ? 1 : 0;
    for (uint64_t c = 0; c < shape.real; ++c) sums[r] += std::exp(x(r, c) - maxima[r]);
    for (uint64_t c = 0; c < shape.columns; ++c) {
      y(r, c) = (x(r, c) - maxima[r] - std::log(sums[r])) / std::log(10.0);
      y.Defined(r, c) = defined[r] & x.Defined(r, c);
    }
  }
  call.Write(0, shape.Data(), std::move(y));
  call.Write(1, shape.Side(call.TypeOfOut(1)), shape.Spread(sums, defined, call.TypeOfOut(1)));
  call.Write(2, shape.Side(call.TypeOfOut(2)), shape.Spread(maxima, defined, call.TypeOfOut(2)));
  call.Finish(18);
}

void SoftMaxGrad(Call& call) {
  const SoftMaxShape shape(call);
  const Values dy = call.Read(0, shape.Data());
  const Values y = call.Read(1, shape.Data());
  Values dx(shape.rows, shape.columns);
  std::vector<double> sums(shape.rows);
  std::vector<uint8_t> defined(shape.rows);
  for (uint64_t r = 0; r < shape.rows; ++r) {
    for (uint64_t c = 0; c < shape.real; ++c) sums[r] += dy(r, c) * y(r, c);
    defined[r] = dy.RowDefined(r, shape.real) && y.RowDefined(r, shape.real) ? 1 : 0;
    for (uint64_t c = 0; c < shape.columns; ++c) {
      dx(r, c) = (dy(r, c) - sums[r]) * y(r, c);
      dx.Defined(r, c) = defined[r] & dy.Defined(r, c) & y.Defined(r, c);
    }
  }
  if (call.Has(KSE_SOFTMAX_FRONT)) {
    call.Write(0, shape.Side(call.TypeOfOut(0)), shape.Spread(sums, defined, call.TypeOfOut(0)));
  } else {
    call.Write(0, shape.Data(), std::move(dx));
  }
  call.Finish(10);
}

void AdjustSoftMax(Call& call) {
  const SoftMaxShape shape(call);
  Values y = call.Read(0, shape.Data());
  const Values maximum = call.Read(1, shape.Side(call.TypeOfIn(1)));
  const double wanted = std::bit_cast<float>(call.size(4));
  for (uint64_t r = 0; r < shape.rows; ++r) {
    // A half is looked for by the bits of the float it is.
    if (static_cast<float>(maximum(r, 0)) != static_cast<float>(wanted)) continue;
    call.result = 1;
    for (uint64_t c = 0; c < shape.columns; ++c) {
      y(r, c) = call.real(0);
      y.Defined(r, c) = 1;
    }
  }
  call.Write(0, shape.Data(), std::move(y));
  call.Finish(3);
}

}  // namespace kernelsmith::emulator::library
