#include "worker/timing/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace kernelsmith::worker {

double StudentT95(int degrees) {
  constexpr std::array<double, 10> kTable = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228};
  if (degrees <= static_cast<int>(kTable.size())) return kTable[static_cast<size_t>(std::max(degrees, 1) - 1)];
  const double z = 1.959964;
  const double n = degrees;
  const double z3 = z * z * z;
  const double z5 = z3 * z * z;
  return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n);
}

Interval MeanInterval(absl::Span<const double> values) {
  const double n = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  const double mean = sum / n;
  if (values.size() < 2) return {mean, mean, mean};
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double error = std::sqrt(squares / (n - 1) / n);
  const double half = StudentT95(static_cast<int>(values.size()) - 1) * error;
  return {mean, mean - half, mean + half};
}

double Quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  const double position = q * static_cast<double>(values.size() - 1);
  const size_t below = static_cast<size_t>(position);
  const size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (position - static_cast<double>(below)) * (values[above] - values[below]);
}

v1::Timing Summarize(absl::Span<const double> samples_us, int calls_per_sample, double empty_call_us) {
  const std::vector<double> values(samples_us.begin(), samples_us.end());
  const Interval interval = MeanInterval(samples_us);
  v1::Timing timing;
  timing.set_clock(v1::PARENT);
  timing.set_mean_us(interval.mean);
  timing.set_median_us(Quantile(values, 0.5));
  timing.set_p10_us(Quantile(values, 0.1));
  timing.set_p90_us(Quantile(values, 0.9));
  double squares = 0;
  for (const double value : values) squares += (value - interval.mean) * (value - interval.mean);
  if (values.size() > 1) {
    timing.set_cv(std::sqrt(squares / static_cast<double>(values.size() - 1)) / interval.mean);
  }
  timing.set_samples(static_cast<int>(values.size()));
  timing.set_calls_per_sample(calls_per_sample);
  timing.set_interval_low_us(interval.low);
  timing.set_interval_high_us(interval.high);
  timing.set_empty_call_us(empty_call_us);
  timing.mutable_sample_us()->Add(values.begin(), values.end());
  return timing;
}

bool PreciseEnough(absl::Span<const double> samples, double relative) {
  if (samples.size() < 3) return false;
  const Interval interval = MeanInterval(samples);
  return (interval.high - interval.low) / 2 <= relative * interval.mean;
}

v1::PairedRatio CompareInterleaved(absl::Span<const double> candidate, absl::Span<const double> other) {
  std::vector<double> logs;
  logs.reserve(candidate.size());
  for (size_t i = 0; i < candidate.size(); ++i) logs.push_back(std::log(other[i]) - std::log(candidate[i]));
  const Interval interval = MeanInterval(logs);
  v1::PairedRatio ratio;
  ratio.set_ratio(std::exp(interval.mean));
  ratio.set_low(std::exp(interval.low));
  ratio.set_high(std::exp(interval.high));
  // One pair has no spread and so proves nothing.
  ratio.set_faster(logs.size() > 1 && interval.low > 0);
  ratio.set_slower(logs.size() > 1 && interval.high < 0);
  return ratio;
}

v1::PairedRatio CombineRatios(absl::Span<const v1::PairedRatio> ratios) {
  const double n = static_cast<double>(ratios.size());
  double mean = 0;
  double below = 0;
  double above = 0;
  bool proven = true;
  for (const v1::PairedRatio& ratio : ratios) {
    const double center = std::log(ratio.ratio());
    mean += center / n;
    below += std::pow(center - std::log(ratio.low()), 2);
    above += std::pow(std::log(ratio.high()) - center, 2);
    proven &= ratio.low() < ratio.high();
  }
  v1::PairedRatio combined;
  combined.set_ratio(std::exp(mean));
  combined.set_low(std::exp(mean - std::sqrt(below) / n));
  combined.set_high(std::exp(mean + std::sqrt(above) / n));
  combined.set_faster(proven && combined.low() > 1);
  combined.set_slower(proven && combined.high() < 1);
  return combined;
}

double GeometricMean(absl::Span<const double> values) {
  if (values.empty()) return 0;
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

}  // namespace kernelsmith::worker
