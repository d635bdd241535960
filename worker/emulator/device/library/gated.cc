// Functions of one or two elements that the vector unit has no instruction for: GeGLU, SwiGLU, ReGlu, FasterGeluV2,
// Lgamma, Digamma.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "worker/emulator/device/library/operations.h"

namespace kernelsmith::emulator::library {
namespace {

// The tanh form of Gelu, with the documentation's constants.
double GeGlu(double a, double b) { return a * b / (1 + std::exp(-0.0713548162726 * b * (b * b + 22.363860002236))); }

double SwiGlu(double a, double b, double beta) { return a * b / (1 + std::exp(-beta * b)); }

// The second-degree polynomial of I-BERT (Kim et al., 2021), to which the documentation's example agrees.
double FasterGeluV2(double x) {
  constexpr double kA = -0.1444;
  constexpr double kB = -1.769;
  const double d = std::min(std::fabs(x) / std::numbers::sqrt2, -kB) + kB;
  const double half = kA * d * d + 0.5;
  return x * ((x < 0 ? -half : half) + 0.5);
}

// The logarithmic derivative of gamma: recurrence up to 6, then the asymptotic series; below 0 by reflection.
double Digamma(double x) {
  if (std::isnan(x) || x == -INFINITY) return NAN;
  if (x == 0) return std::copysign(INFINITY, -x);
  if (x < 0) {
    if (x == std::floor(x)) return NAN;
    return Digamma(1 - x) - std::numbers::pi / std::tan(std::numbers::pi * x);
  }
  double result = 0;
  for (; x < 10; x += 1) result -= 1 / x;
  const double f = 1 / (x * x);
  return result + std::log(x) - 0.5 / x -
         f * (1.0 / 12 - f * (1.0 / 120 - f * (1.0 / 252 - f * (1.0 / 240 - f * (1.0 / 132)))));
}

double Apply(const Call& call, double a, double b) {
  switch (call.abi.operation) {
    case KSE_LIB_GEGLU:
      return GeGlu(a, b);
    case KSE_LIB_SWIGLU:
      return SwiGlu(a, b, call.real(0));
    case KSE_LIB_REGLU:
      return a * (b > 0 || std::isnan(b) ? b : 0);
    case KSE_LIB_FASTER_GELU_V2:
      return FasterGeluV2(a);
    case KSE_LIB_LGAMMA: {
      int sign = 0;
      return lgamma_r(a, &sign);
    }
    default:
      return Digamma(a);
  }
}

}  // namespace

void Gated(Call& call) {
  const Grid row = Row(call.size(0));
  if (row.columns == 0) return call.Forbid("the number of elements is 0");
  Values y = call.Read(0, row);
  const Values b = call.HasIn(1) ? call.Read(1, row) : Values(1, row.columns);
  for (uint64_t i = 0; i < row.columns; ++i) {
    y(0, i) = Apply(call, y(0, i), b(0, i));
    y.Defined(0, i) &= b.Defined(0, i);
  }
  call.Write(0, row, std::move(y));
  call.Finish(call.HasIn(1) ? 10 : 24);
}

}  // namespace kernelsmith::emulator::library
