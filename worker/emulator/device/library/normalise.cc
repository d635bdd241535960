// LayerNorm, Normalize, RmsNorm, DeepNorm, BatchNorm, GroupNorm: y = gamma (x - mean) / sqrt(variance + epsilon) + beta
// over different sets of elements; variance is the mean of squares.
#include <cmath>
#include <vector>

#include "worker/emulator/device/library/operations.h"

namespace kernelsmith::emulator::library {
namespace {

struct Moments {
  double mean = 0;
  double variance = 0;
};

Moments MomentsOf(const Values& x, uint64_t row, uint64_t n) {
  Moments moments;
  for (uint64_t c = 0; c < n; ++c) moments.mean += x(row, c);
  moments.mean /= static_cast<double>(n);
  for (uint64_t c = 0; c < n; ++c) {
    const double d = x(row, c) - moments.mean;
    moments.variance += d * d;
  }
  moments.variance /= static_cast<double>(n);
  return moments;
}

// Rows of `stored` elements, of which `columns` count.
struct Rows {
  explicit Rows(const Call& call)
      : rows(call.size(0)),
        stored(call.size(1)),
        columns(call.size(2) == 0 || call.size(2) > call.size(1) ? call.size(1) : call.size(2)) {}

  Grid Data() const { return Dense(rows, stored); }

  uint64_t rows;
  uint64_t stored;
  uint64_t columns;
};

// gamma and beta: of ones and zeros where they are absent.
Values Scale(Call& call, int in, uint32_t absent, uint64_t n, double neutral) {
  if (!call.Has(absent)) return call.Read(in, Row(n));
  Values values(1, n);
  values.number.assign(n, neutral);
  return values;
}

void Affine(Values& y, uint64_t r, const Values& x, const Moments& m, double rstd, const Values& gamma,
            const Values& beta, uint64_t columns) {
  const uint8_t defined = x.RowDefined(r, columns) ? 1 : 0;
  for (uint64_t c = 0; c < x.columns; ++c) {
    y(r, c) = (x(r, c) - m.mean) * rstd * gamma(0, c) + beta(0, c);
    y.Defined(r, c) = defined & x.Defined(r, c) & gamma.Defined(0, c) & beta.Defined(0, c);
  }
}

void Norm(Call& call, const Rows& shape, const Values& x, const Values& gamma, const Values& beta, double epsilon,
          uint32_t passes) {
  Values y(shape.rows, shape.stored);
  Values mean(1, shape.rows);
  Values second(1, shape.rows);
  for (uint64_t r = 0; r < shape.rows; ++r) {
    const Moments m = MomentsOf(x, r, shape.columns);
    const double rstd = 1 / std::sqrt(m.variance + epsilon);
    Affine(y, r, x, m, rstd, gamma, beta, shape.columns);
    mean(0, r) = m.mean;
    second(0, r) = call.Has(KSE_NORM_RSTD) ? rstd : m.variance;
    mean.Defined(0, r) = second.Defined(0, r) = x.RowDefined(r, shape.columns) ? 1 : 0;
  }
  call.Write(0, shape.Data(), std::move(y));
  call.Write(1, Row(shape.rows), std::move(mean));
  call.Write(2, Row(shape.rows), std::move(second));
  call.Finish(passes);
}

bool Fits(Call& call, const Rows& shape) {
  if (shape.rows != 0 && shape.stored != 0) return true;
  call.Forbid("the tiling names no rows or no columns; fill it by the function's tiling function");
  return false;
}

}  // namespace

void LayerNorm(Call& call) {
  const Rows shape(call);
  if (!Fits(call, shape)) return;
  const Values x = call.Read(0, shape.Data());
  const Values gamma = Scale(call, 1, KSE_NORM_NO_GAMMA, shape.stored, 1);
  const Values beta = Scale(call, 2, KSE_NORM_NO_BETA, shape.stored, 0);
  Norm(call, shape, x, gamma, beta, call.real(0), 16);
}

void DeepNorm(Call& call) {
  const Rows shape(call);
  if (!Fits(call, shape)) return;
  Values x = call.Read(0, shape.Data());
  const Values gx = call.Read(1, shape.Data());
  for (size_t i = 0; i < x.number.size(); ++i) {
    x.number[i] = x.number[i] * call.real(1) + gx.number[i];
    x.defined[i] &= gx.defined[i];
  }
  const Values gamma = call.Read(2, Row(shape.stored));
  const Values beta = call.Read(3, Row(shape.stored));
  Norm(call, shape, x, gamma, beta, call.real(0), 18);
}

void Normalize(Call& call) {
  const Rows shape(call);
  if (!Fits(call, shape)) return;
  const Values x = call.Read(0, shape.Data());
  const Values mean = call.Read(1, Row(shape.rows));
  const Values variance = call.Read(2, Row(shape.rows));
  const Values gamma = Scale(call, 3, KSE_NORM_NO_GAMMA, shape.columns, 1);
  const Values beta = Scale(call, 4, KSE_NORM_NO_BETA, shape.columns, 0);
  Values y(shape.rows, shape.columns);
  Values rstd(1, shape.rows);
  for (uint64_t r = 0; r < shape.rows; ++r) {
    rstd(0, r) = 1 / std::sqrt(variance(0, r) + call.real(0));
    rstd.Defined(0, r) = variance.Defined(0, r);
    const uint8_t defined = mean.Defined(0, r) & variance.Defined(0, r);
    for (uint64_t c = 0; c < shape.columns; ++c) {
      y(r, c) = (x(r, c) - mean(0, r)) * rstd(0, r) * gamma(0, c) + beta(0, c);
      y.Defined(r, c) = defined & x.Defined(r, c) & gamma.Defined(0, c) & beta.Defined(0, c);
    }
  }
  call.Write(0, {.rows = shape.rows, .columns = shape.columns, .pitch = shape.stored}, std::move(y));
  call.Write(1, Row(shape.rows), std::move(rstd));
  call.Finish(8);
}

void RmsNorm(Call& call) {
  const Rows shape(call);
  if (!Fits(call, shape)) return;
  const Values x = call.Read(0, shape.Data());
  const Values gamma = call.Read(1, Row(shape.stored));
  Values y(shape.rows, shape.stored);
  for (uint64_t r = 0; r < shape.rows; ++r) {
    double squares = 0;
    for (uint64_t c = 0; c < shape.columns; ++c) squares += x(r, c) * x(r, c);
    const double rms = std::sqrt(squares / static_cast<double>(shape.columns) + call.real(0));
    const uint8_t defined = x.RowDefined(r, shape.columns) ? 1 : 0;
    for (uint64_t c = 0; c < shape.stored; ++c) {
      y(r, c) = x(r, c) / rms * gamma(0, c);
      y.Defined(r, c) = defined & x.Defined(r, c) & gamma.Defined(0, c);
    }
  }
  call.Write(0, shape.Data(), std::move(y));
  call.Finish(12);
}

// Over the batch; gamma and beta have one element for each of the batch, as documented.
void BatchNorm(Call& call) {
  const uint64_t batch = call.size(0);
  const uint64_t features = call.size(1);
  if (batch == 0 || features == 0) return call.Forbid("the tiling names no batch or no features");
  const Values x = call.Read(0, Dense(batch, features));
  const Values gamma = call.Read(1, Row(batch));
  const Values beta = call.Read(2, Row(batch));
  Values y(batch, features);
  Values mean(1, features);
  Values variance(1, features);
  for (uint64_t f = 0; f < features; ++f) {
    uint8_t defined = 1;
    for (uint64_t b = 0; b < batch; ++b) {
      mean(0, f) += x(b, f) / static_cast<double>(batch);
      defined &= x.Defined(b, f);
    }
    for (uint64_t b = 0; b < batch; ++b) {
      const double d = x(b, f) - mean(0, f);
      variance(0, f) += d * d / static_cast<double>(batch);
    }
    mean.Defined(0, f) = variance.Defined(0, f) = defined;
    for (uint64_t b = 0; b < batch; ++b) {
      y(b, f) = (x(b, f) - mean(0, f)) / std::sqrt(variance(0, f) + call.real(0)) * gamma(0, b) + beta(0, b);
      y.Defined(b, f) = defined & gamma.Defined(0, b) & beta.Defined(0, b);
    }
  }
  call.Write(0, Dense(batch, features), std::move(y));
  call.Write(1, Row(features), std::move(mean));
  call.Write(2, Row(features), std::move(variance));
  call.Finish(12);
}

void GroupNorm(Call& call) {
  const uint64_t n = call.size(0);
  const uint64_t c = call.size(1);
  const uint64_t hw = call.size(2);
  const uint64_t groups = call.size(3);
  const uint64_t stored = call.size(4);
  if (n == 0 || groups == 0 || c % groups != 0 || hw == 0 || stored < hw) {
    return call.Forbid("the tiling names no batch, or channels that do not divide into its groups");
  }
  const Grid grid{.rows = n * c, .columns = hw, .pitch = stored};
  const Values x = call.Read(0, grid);
  const Values gamma = call.Read(1, Row(c));
  const Values beta = call.Read(2, Row(c));
  Values y(n * c, hw);
  Values mean(1, n * groups);
  Values variance(1, n * groups);
  const uint64_t depth = c / groups;
  for (uint64_t g = 0; g < n * groups; ++g) {
    // A group's channels lie one behind the other.
    Values flat(1, depth * hw);
    for (uint64_t i = 0; i < depth * hw; ++i) {
      flat(0, i) = x(g * depth + i / hw, i % hw);
      flat.Defined(0, i) = x.Defined(g * depth + i / hw, i % hw);
    }
    const Moments m = MomentsOf(flat, 0, depth * hw);
    mean(0, g) = m.mean;
    variance(0, g) = m.variance;
    const uint8_t defined = flat.AllDefined() ? 1 : 0;
    mean.Defined(0, g) = variance.Defined(0, g) = defined;
    for (uint64_t i = 0; i < depth * hw; ++i) {
      const uint64_t channel = g % groups * depth + i / hw;
      y(g * depth + i / hw, i % hw) =
          (flat(0, i) - m.mean) / std::sqrt(m.variance + call.real(0)) * gamma(0, channel) + beta(0, channel);
      y.Defined(g * depth + i / hw, i % hw) = defined & gamma.Defined(0, channel) & beta.Defined(0, channel);
    }
  }
  call.Write(0, grid, std::move(y));
  call.Write(1, Row(n * groups), std::move(mean));
  call.Write(2, Row(n * groups), std::move(variance));
  call.Finish(16);
}

}  // namespace kernelsmith::emulator::library
