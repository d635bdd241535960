#include "memory/graph/stage_credit.h"

#include <unordered_map>

#include "memory/values/utility.h"

namespace kernelsmith::memory {
namespace {

// The retrieved items of a stage, each once in the order of first retrieval, and whether each was adopted.
struct StageItems {
  std::vector<int> items;
  std::vector<bool> adopted;
};

StageItems UnionOf(const std::vector<StageRound>& rounds) {
  StageItems all;
  std::unordered_map<int, size_t> place;
  for (const StageRound& round : rounds) {
    for (size_t i = 0; i < round.items.size(); ++i) {
      const auto [entry, added] = place.try_emplace(round.items[i], all.items.size());
      if (added) {
        all.items.push_back(round.items[i]);
        all.adopted.push_back(false);
      }
      if (round.adopted[i]) all.adopted[entry->second] = true;
    }
  }
  return all;
}

std::vector<CreditTick> TicksByRound(const v1::CompleteStageRequest& stage, const std::vector<StageRound>& rounds,
                                     double delta) {
  std::vector<CreditTick> ticks;
  double best_us = stage.first_us();
  for (const StageRound& round : rounds) {
    StageOutcome outcome{.stage = stage.stage(), .passed = round.correct, .first_us = stage.first_us()};
    if (stage.stage() == v1::REFINING) {
      outcome.passed = round.correct && round.latency_us > 0 && round.latency_us < best_us;
      if (outcome.passed) best_us = round.latency_us;
      outcome.best_us = best_us;
    }
    const std::vector<double> credit = UniformCredit(round.items.size(), StageScore(outcome, delta));
    for (size_t i = 0; i < round.items.size(); ++i) ticks.push_back({round.items[i], credit[i]});
  }
  return ticks;
}

}  // namespace

StageCredit CreditOf(const v1::CompleteStageRequest& stage, const std::vector<StageRound>& rounds,
                     const PolicyRules& rules) {
  StageCredit result;
  result.z = StageScore({stage.stage(), stage.passed(), stage.first_us(), stage.best_us()}, rules.delta);
  if (rules.read_only || rules.credit == CreditRule::kNone) return result;

  const StageItems all = UnionOf(rounds);
  for (size_t i = 0; i < all.items.size(); ++i) {
    if (all.adopted[i]) result.adopted_items.push_back(all.items[i]);
  }
  if (rules.credit == CreditRule::kUniformPerRound) {
    result.ticks = TicksByRound(stage, rounds, rules.delta);
    return result;
  }
  const std::vector<double> xi = AdoptionCredit(all.adopted, result.z, rules.beta, rules.full_failure_penalty);
  for (size_t i = 0; i < all.items.size(); ++i) result.ticks.push_back({all.items[i], xi[i]});
  return result;
}

}  // namespace kernelsmith::memory
