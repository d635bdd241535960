// Which items of the pool the prompt gets, and which start point a refinement takes, with exploration by a recorded
// seed.
//
//   const std::vector<Pick> picks = EpsilonGreedy(q, /*slots=*/5, /*epsilon=*/0.1, seed);
//   picks[0].index, picks[0].explored
//   const std::vector<double> scores = ZScoreRank(similarity, SpreadOf(similarity), q);   // MemRL
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kernelsmith::memory {

struct Pick {
  int index = -1;         // into the pool
  bool explored = false;  // took its place by chance

  bool operator==(const Pick&) const = default;
};

// Fills up to `slots` places one after the other, without repetition: with probability epsilon any item that is left,
// otherwise the best that is left by `values` (of equal ones the earlier). Each place draws for itself (per slot). The
// pool's order breaks ties, so `values` must come in the order of relevance. Equal arguments give equal picks on every
// platform.
std::vector<Pick> EpsilonGreedy(std::span<const double> values, int slots, double epsilon, uint64_t seed);

// EpsilonGreedy over an order that is no number, for example KOPE's: `order` holds the pool's indexes, best first.
std::vector<Pick> EpsilonGreedyOrder(std::span<const int> order, int slots, double epsilon, uint64_t seed);

// One start point among P(x) by Q. {-1, false} if there is none.
Pick ChooseStartPoint(std::span<const double> q, double epsilon, uint64_t seed);

struct Spread {
  double mean = 0;
  double deviation = 0;  // population standard deviation
};
Spread SpreadOf(std::span<const double> values);

// (value - mean)/deviation; 0 where the deviation is below 1e-9, because then all are equal.
double ZScore(double value, const Spread& spread);

// 0.5 z(s) + 0.5 z(Q) for every item of the pool. z(s) is against `candidates`, the spread of the similarity over all
// that was compared (SpreadOf(similarity) if only the pool is known); z(Q) is over the pool.
std::vector<double> ZScoreRank(std::span<const double> similarity, const Spread& candidates, std::span<const double> q);

}  // namespace kernelsmith::memory
