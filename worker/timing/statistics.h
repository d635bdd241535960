// Statistics of latencies. Pure.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "kernelsmith/v1/evaluation.pb.h"

namespace kernelsmith::worker {

// Two-sided 95 % quantile of Student's t with `degrees` degrees of freedom (>= 1). Expansion of Cornish and Fisher,
// exact to 0.5 % from 3 degrees on; table below.
double StudentT95(int degrees);

struct Interval {
  double mean = 0;
  double low = 0;   // 95 %, by Student's t
  double high = 0;  // equal to mean for a single value
};
// REQUIRES: values is not empty.
Interval MeanInterval(absl::Span<const double> values);

// Value at part q in [0, 1] of the sorted values, linearly interpolated. REQUIRES: values is not empty.
double Quantile(std::vector<double> values, double q);

// All figures of a Timing from samples in microseconds per call. REQUIRES: samples is not empty, all positive and
// finite.
v1::Timing Summarize(absl::Span<const double> samples_us, int calls_per_sample, double empty_call_us);

// True once the half interval is at most `relative` of the mean, from three samples on.
bool PreciseEnough(absl::Span<const double> samples, double relative);

// Of samples taken alternately: geometric mean of other[i] / candidate[i] with its interval in the log domain.
// Above 1 the candidate is faster. REQUIRES: equal, positive counts; all values positive and finite.
v1::PairedRatio CompareInterleaved(absl::Span<const double> candidate, absl::Span<const double> other);

// The ratio over several cases from those of each: geometric mean, errors added in the log domain. REQUIRES: not empty.
v1::PairedRatio CombineRatios(absl::Span<const v1::PairedRatio> ratios);

// Of positive values; 0 for none.
double GeometricMean(absl::Span<const double> values);

}  // namespace kernelsmith::worker
