#include "memory/values/selection.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "memory/values/random.h"

namespace kernelsmith::memory {
namespace {

constexpr double kSmallestDeviation = 1e-9;

}  // namespace

std::vector<Pick> EpsilonGreedyOrder(std::span<const int> order, int slots, double epsilon, uint64_t seed) {
  SeededRandom random(seed);
  std::vector<int> left(order.begin(), order.end());
  std::vector<Pick> picks;
  while (!left.empty() && static_cast<int>(picks.size()) < slots) {
    const bool explore = random.Chance(epsilon);
    const auto place = static_cast<std::ptrdiff_t>(explore ? random.Below(left.size()) : 0);
    picks.push_back({.index = left[place], .explored = explore});
    left.erase(left.begin() + place);
  }
  return picks;
}

std::vector<Pick> EpsilonGreedy(std::span<const double> values, int slots, double epsilon, uint64_t seed) {
  std::vector<int> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [values](int a, int b) { return values[a] > values[b]; });
  return EpsilonGreedyOrder(order, slots, epsilon, seed);
}

Pick ChooseStartPoint(std::span<const double> q, double epsilon, uint64_t seed) {
  const std::vector<Pick> picks = EpsilonGreedy(q, 1, epsilon, seed);
  return picks.empty() ? Pick() : picks.front();
}

Spread SpreadOf(std::span<const double> values) {
  if (values.empty()) return {};
  const auto count = static_cast<double>(values.size());
  Spread spread;
  for (const double value : values) spread.mean += value;
  spread.mean /= count;
  double squares = 0;
  for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
  spread.deviation = std::sqrt(squares / count);
  return spread;
}

double ZScore(double value, const Spread& spread) {
  return spread.deviation < kSmallestDeviation ? 0.0 : (value - spread.mean) / spread.deviation;
}

std::vector<double> ZScoreRank(std::span<const double> similarity, const Spread& candidates,
                               std::span<const double> q) {
  const Spread of_q = SpreadOf(q);
  std::vector<double> scores(similarity.size());
  for (size_t i = 0; i < similarity.size(); ++i) {
    scores[i] = 0.5 * ZScore(similarity[i], candidates) + 0.5 * ZScore(q[i], of_q);
  }
  return scores;
}

}  // namespace kernelsmith::memory
