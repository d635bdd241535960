#include "memory/values/lineage_effect.h"

namespace kernelsmith::memory {
namespace {

constexpr double kSlack = 1e-9;

}  // namespace

double EffectiveSpeedup(const EffectInput& input) {
  if (!input.correct) return 0;
  if (input.speedup > 0) return input.speedup;
  return !input.is_root && input.prev_speedup > 0 ? input.prev_speedup : 1.0;
}

double Effect(const EffectInput& input) {
  if (!input.correct) return 0;
  if (input.is_root || input.prev_speedup <= 0) return 1.0;
  return EffectiveSpeedup(input) / input.prev_speedup;
}

v1::Label LabelOf(double r) {
  if (r >= 1.05 - kSlack) return v1::EFFECTIVE;
  if (r >= 1.0 - kSlack) return v1::PARTIAL;
  if (r >= 0.85 - kSlack) return v1::INEFFECTIVE;
  return v1::NEGATIVE;
}

double DownstreamScore(double r, std::span<const double> successor_scores, const DownstreamWeights& weights) {
  if (successor_scores.empty()) return weights.halve_leaves ? weights.self * r : r;
  double sum = 0;
  for (const double score : successor_scores) sum += score;
  if (weights.mean) sum /= static_cast<double>(successor_scores.size());
  return weights.self * r + weights.successors * weights.discount * sum;
}

}  // namespace kernelsmith::memory
