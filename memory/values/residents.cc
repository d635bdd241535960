#include "memory/values/residents.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "memory/values/random.h"

namespace kernelsmith::memory {
namespace {

std::vector<int> AllOf(const std::vector<ResidentCandidate>& candidates) {
  std::vector<int> order(candidates.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// What of `order` fits, in order.
std::vector<int> Fill(const std::vector<ResidentCandidate>& candidates, const std::vector<int>& order, int64_t budget) {
  std::vector<int> set;
  int64_t left = budget;
  for (const int index : order) {
    if (candidates[index].tokens > left) continue;
    left -= candidates[index].tokens;
    set.push_back(index);
  }
  return set;
}

}  // namespace

bool PassesGate(const GateInput& input, const PolicyRules& rules) {
  return input.u > 0 && input.n_adopted >= rules.gate_adoptions && input.operators >= rules.gate_operators;
}

double ColdUsage(int64_t n_retrieved, int64_t n_eligible) {
  if (n_eligible <= 0) return 0;
  return std::min(1.0, static_cast<double>(n_retrieved) / static_cast<double>(n_eligible));
}

double UpdatedUsage(double p, bool used, double mu) { return (1.0 - mu) * p + (used ? mu : 0.0); }

double ResidentUtility(double u, double p, int64_t tokens) { return u * p / static_cast<double>(tokens); }

std::vector<int> RebuildResidents(const std::vector<ResidentCandidate>& candidates, int64_t budget) {
  std::vector<int> order = AllOf(candidates);
  std::erase_if(order, [&candidates](int index) { return !(candidates[index].utility > 0); });
  std::stable_sort(order.begin(), order.end(),
                   [&candidates](int a, int b) { return candidates[a].utility > candidates[b].utility; });
  return Fill(candidates, order, budget);
}

std::vector<int> DrawResidents(const std::vector<ResidentCandidate>& candidates, int64_t budget, uint64_t seed) {
  std::vector<int> order = AllOf(candidates);
  SeededRandom random(seed);
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.Below(i)]);
  return Fill(candidates, order, budget);
}

}  // namespace kernelsmith::memory
