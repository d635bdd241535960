// LayerNormGrad and LayerNormGradBeta: gradients of a layer normalisation.
#include <cmath>

#include "worker/emulator/device/library/operations.h"

namespace kernelsmith::emulator::library {

void LayerNormGrad(Call& call) {
  const uint64_t rows = call.size(0);
  const uint64_t stored = call.size(1);
  const uint64_t columns = call.size(2) == 0 ? stored : call.size(2);
  if (rows == 0 || stored == 0) return call.Forbid("the tiling names no rows or no columns");
  const Values dy = call.Read(0, Dense(rows, stored));
  const Values x = call.Read(1, Dense(rows, stored));
  const Values variance = call.Read(2, Row(rows));
  const Values mean = call.Read(3, Row(rows));
  const Values gamma = call.Read(4, Row(stored));
  Values dx(rows, stored);
  Values normalised(rows, stored);
  const auto n = static_cast<double>(columns);
  for (uint64_t r = 0; r < rows; ++r) {
    const double rstd = 1 / std::sqrt(variance(0, r) + call.real(0));
    double d_variance = 0;
    double d_mean = 0;
    double centred = 0;
    for (uint64_t c = 0; c < columns; ++c) {
      const double g = dy(r, c) * gamma(0, c);
      const double d = x(r, c) - mean(0, r);
      d_variance += -0.5 * g * d * rstd * rstd * rstd;
      d_mean -= g * rstd;
      centred += -2 * d;
    }
    d_mean += d_variance / n * centred;
    const uint8_t defined = dy.RowDefined(r, columns) && x.RowDefined(r, columns) && gamma.RowDefined(0, columns)
                                ? variance.Defined(0, r) & mean.Defined(0, r)
                                : 0;
    for (uint64_t c = 0; c < stored; ++c) {
      const double d = x(r, c) - mean(0, r);
      dx(r, c) = dy(r, c) * gamma(0, c) * rstd + d_variance * 2 / n * d + d_mean / n;
      normalised(r, c) = d * rstd;
      dx.Defined(r, c) = defined & dy.Defined(r, c) & x.Defined(r, c) & gamma.Defined(0, c);
      normalised.Defined(r, c) = x.Defined(r, c) & variance.Defined(0, r) & mean.Defined(0, r);
    }
  }
  call.Write(0, Dense(rows, stored), std::move(dx));
  call.Write(1, Dense(rows, stored), std::move(normalised));
  call.Finish(24);
}

void LayerNormGradBeta(Call& call) {
  const uint64_t rows = call.size(0);
  const uint64_t stored = call.size(1);
  if (rows == 0 || stored == 0) return call.Forbid("the tiling names no rows or no columns");
  const Values normalised = call.Read(0, Dense(rows, stored));
  const Values dy = call.Read(1, Dense(rows, stored));
  Values d_gamma(1, stored);
  Values d_beta(1, stored);
  for (uint64_t c = 0; c < stored; ++c) {
    for (uint64_t r = 0; r < rows; ++r) {
      d_gamma(0, c) += normalised(r, c) * dy(r, c);
      d_beta(0, c) += dy(r, c);
      d_gamma.Defined(0, c) &= normalised.Defined(r, c) & dy.Defined(r, c);
      d_beta.Defined(0, c) &= dy.Defined(r, c);
    }
  }
  call.Write(0, Row(stored), std::move(d_gamma));
  call.Write(1, Row(stored), std::move(d_beta));
  call.Finish(4);
}

}  // namespace kernelsmith::emulator::library
