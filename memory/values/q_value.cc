#include "memory/values/q_value.h"

#include <algorithm>
#include <cmath>

namespace kernelsmith::memory {
namespace {

constexpr double kSmallestDeviation = 1e-3;
constexpr double kLargestReward = 3;

}  // namespace

double UpdatedQ(double q, double reward, double alpha) { return q + alpha * (reward - q); }

double DraftingReward(bool feasible) { return feasible ? 1.0 : -1.0; }

double RefiningReward(bool feasible, double best_us, double latency_us) {
  if (!feasible) return -1.0;
  if (!(best_us > 0) || !(latency_us > 0)) return 0.0;
  const double ratio = std::min(best_us, latency_us) / std::max(best_us, latency_us);
  const double gain = (1.0 - ratio * ratio) / (1.0 + ratio * ratio);
  return latency_us <= best_us ? gain : -gain;
}

double RewardNormaliser::UpdateAndNormalise(double reward) {
  ++count_;
  const double distance = reward - mean_;
  mean_ += distance / static_cast<double>(count_);
  squares_ += distance * (reward - mean_);
  if (count_ < 2) return reward;
  return std::clamp((reward - mean_) / std::max(deviation(), kSmallestDeviation), -kLargestReward, kLargestReward);
}

double RewardNormaliser::deviation() const {
  return count_ == 0 ? 0.0 : std::sqrt(squares_ / static_cast<double>(count_));
}

double LearningReward(const AttemptOutcome& outcome, const PolicyRules& rules, RewardNormaliser& normaliser) {
  if (outcome.stage != v1::REFINING) return DraftingReward(outcome.feasible);
  const double reward = RefiningReward(outcome.feasible, outcome.best_us, outcome.latency_us);
  if (rules.raw_reward || (!outcome.feasible && !rules.normalise_failures)) return reward;
  return normaliser.UpdateAndNormalise(reward);
}

}  // namespace kernelsmith::memory
