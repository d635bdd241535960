#include "memory/graph/stage_credit.h"

#include <unordered_map>

#include "memory/values/utility.h"

namespace kernelsmith::memory {
namespace {

// The items of a stage's prompts, each once in the order of first appearance.
struct StageItem {
  int item = -1;
  bool adopted = false;   // in one round at least
  bool resident = false;  // in every round that held it
};

bool IsResident(const StageRound& round, size_t i) { return !round.resident.empty() && round.resident[i]; }

std::vector<StageItem> UnionOf(const std::vector<StageRound>& rounds) {
  std::vector<StageItem> all;
  std::unordered_map<int, size_t> place;
  for (const StageRound& round : rounds) {
    for (size_t i = 0; i < round.items.size(); ++i) {
      const auto [entry, added] = place.try_emplace(round.items[i], all.size());
      if (added) all.push_back({.item = round.items[i], .resident = true});
      StageItem& entry_item = all[entry->second];
      entry_item.adopted = entry_item.adopted || round.adopted[i];
      entry_item.resident = entry_item.resident && IsResident(round, i);
    }
  }
  return all;
}

bool TakesPart(const StageItem& item, const PolicyRules& rules) {
  return !item.resident || (item.adopted && rules.residents_take_credit);
}

std::vector<CreditTick> TicksByRound(const v1::CompleteStageRequest& stage, const std::vector<StageRound>& rounds,
                                     const PolicyRules& rules) {
  std::vector<CreditTick> ticks;
  double best_us = stage.first_us();
  for (const StageRound& round : rounds) {
    StageOutcome outcome{.stage = stage.stage(), .passed = round.correct, .first_us = stage.first_us()};
    if (stage.stage() == v1::REFINING) {
      outcome.passed = round.correct && round.latency_us > 0 && round.latency_us < best_us;
      if (outcome.passed) best_us = round.latency_us;
      outcome.best_us = best_us;
    }
    const double z = StageScore(outcome, rules.delta);
    for (size_t i = 0; i < round.items.size(); ++i) {
      const StageItem item{round.items[i], round.adopted[i], IsResident(round, i)};
      if (TakesPart(item, rules)) ticks.push_back({item.item, z, item.resident});
    }
  }
  return ticks;
}

}  // namespace

StageCredit CreditOf(const v1::CompleteStageRequest& stage, const std::vector<StageRound>& rounds,
                     const PolicyRules& rules) {
  StageCredit result;
  result.z = StageScore({stage.stage(), stage.passed(), stage.first_us(), stage.best_us()}, rules.delta);
  if (rules.read_only || !LearnsUtility(rules)) return result;

  std::vector<StageItem> taking_part;
  std::vector<bool> adopted;
  for (const StageItem& item : UnionOf(rounds)) {
    if (item.resident) result.residents.push_back({item.item, item.adopted});
    if (!TakesPart(item, rules)) continue;
    taking_part.push_back(item);
    adopted.push_back(item.adopted);
    if (item.adopted) result.adopted_items.push_back(item.item);
  }
  if (rules.credit == CreditRule::kUniform && rules.tick_per_round) {
    result.ticks = TicksByRound(stage, rounds, rules);
    return result;
  }
  const std::vector<double> xi = rules.credit == CreditRule::kUniform
                                     ? UniformCredit(taking_part.size(), result.z)
                                     : AdoptionCredit(adopted, result.z, rules.beta, rules.full_failure_penalty);
  for (size_t i = 0; i < taking_part.size(); ++i) {
    result.ticks.push_back({taking_part[i].item, xi[i], taking_part[i].resident});
  }
  return result;
}

}  // namespace kernelsmith::memory
