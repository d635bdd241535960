#include "worker/verification/element_block.h"

#include <cmath>
#include <limits>

namespace kernelsmith::worker {
namespace {

constexpr size_t kLanes = 8;  // independent partial results, so that no order of additions ties the loop

template <typename Real>
BlockSummary Summarize(const Real* got, const Real* want, size_t count, const ToleranceRule& rule, double rms) {
  const Real rtol = static_cast<Real>(rule.rtol);
  const Real floor = static_cast<Real>(rule.floor);
  const Real widen = static_cast<Real>(rule.widen);
  const Real cap = static_cast<Real>(kOracleCap);
  const Real largest = std::numeric_limits<Real>::max();
  const Real scale = rms > 0 ? static_cast<Real>(rms) : std::numeric_limits<Real>::min();
  Real max_abs[kLanes] = {};
  Real max_rel[kLanes] = {};
  int wrong[kLanes] = {};
  auto visit = [&](size_t lane, Real g, Real w) {
    const Real magnitude = std::fabs(w);
    const Real difference = std::fabs(g - w);
    const Real base = rtol * magnitude + floor;
    const Real capped = cap * base;
    const Real wide = widen < capped ? widen : capped;
    const Real allowed = wide > base ? wide : base;
    const Real limit = allowed < largest ? allowed : largest;  // an infinite difference is never allowed
    wrong[lane] |= !(difference <= limit);                     // NaN compares false
    const Real relative = difference / (magnitude + scale);
    max_abs[lane] = difference > max_abs[lane] ? difference : max_abs[lane];
    max_rel[lane] = relative > max_rel[lane] ? relative : max_rel[lane];
  };
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) visit(lane, got[i + lane], want[i + lane]);
  }
  for (; i < count; ++i) visit(0, got[i], want[i]);
  BlockSummary summary;
  for (size_t lane = 0; lane < kLanes; ++lane) {
    summary.clean &= wrong[lane] == 0;
    summary.max_abs = std::fmax(summary.max_abs, static_cast<double>(max_abs[lane]));
    summary.max_rel = std::fmax(summary.max_rel, static_cast<double>(max_rel[lane]));
  }
  return summary;
}

}  // namespace

BlockSummary SummarizeBlock(const float* got, const float* want, size_t count, const ToleranceRule& rule, double rms) {
  return Summarize(got, want, count, rule, rms);
}

BlockSummary SummarizeBlock(const double* got, const double* want, size_t count, const ToleranceRule& rule,
                            double rms) {
  return Summarize(got, want, count, rule, rms);
}

}  // namespace kernelsmith::worker
