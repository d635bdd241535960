#include "server/synthesis/ending_rules.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace kernelsmith::server {
namespace {

bool LostToInfrastructure(const RoundState& round) {
  return round.recorded && round.evaluated &&
         (round.recorded->status() == v1::INFRASTRUCTURE || round.recorded->status() == v1::EVALUATION_CANCELLED);
}

std::optional<Ending> FailureEnding(const JobHistory& history) {
  for (const RoundState& round : history.rounds) {
    if (round.recorded && round.evaluated && round.recorded->status() == v1::INVALID_TASK) {
      return Ending{v1::FAILED, absl::StrCat("the task itself fails: ", round.evaluated->summary())};
    }
  }
  return InfrastructureEnding(history);
}

}  // namespace

Ending EndWith(const JobHistory& history, std::string reason) {
  return {history.incumbent_round > 0 ? v1::SUCCEEDED : v1::EXHAUSTED, std::move(reason)};
}

std::optional<Ending> EndingBetweenRounds(const JobHistory& history, absl::Time now) {
  const v1::Budget& budget = history.budget;
  const v1::Goal& goal = history.spec.goal();
  if (!history.goal_waived && GoalMet(goal, history)) {
    return EndWith(history, absl::StrFormat("the goal is reached: %.2f us", history.best_us()));
  }
  if (auto failure = FailureEnding(history)) return failure;
  if (budget.rounds() > 0 && history.rounds_recorded() >= budget.rounds()) {
    return EndWith(history, absl::StrCat("the budget of ", budget.rounds(), " rounds is used up"));
  }
  if (budget.tokens() > 0 && history.tokens_used >= budget.tokens()) {
    return EndWith(history, absl::StrCat("the budget of ", budget.tokens(), " tokens is used up"));
  }
  if (budget.money() > 0 && history.money_used >= budget.money()) {
    return EndWith(history, absl::StrFormat("the budget of %g in money is used up", budget.money()));
  }
  if (WallTimeLeft(history, now) <= absl::ZeroDuration()) {
    return EndWith(history, absl::StrFormat("the wall time of %g s is used up", budget.wall_s()));
  }
  if (goal.rounds_without_gain() > 0 &&
      history.rounds_recorded() - history.last_gain_round >= goal.rounds_without_gain()) {
    return EndWith(history, absl::StrCat(goal.rounds_without_gain(), " rounds in a row brought no gain"));
  }
  return std::nullopt;
}

std::optional<Ending> InfrastructureEnding(const JobHistory& history) {
  if (history.rounds.empty() || !LostToInfrastructure(history.rounds.back())) return std::nullopt;
  const auto lost = std::count_if(history.rounds.begin(), history.rounds.end(), [&](const RoundState& round) {
    return round.number() >= history.replayed_round && LostToInfrastructure(round);
  });
  // The round that was taken up again is lost again: what stopped it before is not mended.
  if (lost < kMaxInfrastructureRounds && history.rounds.back().number() != history.replayed_round) return std::nullopt;
  return Ending{v1::FAILED, absl::StrCat("the evaluations of ", lost, lost == 1 ? " round" : " rounds",
                                         " failed for reasons outside the candidates, last: ",
                                         history.rounds.back().evaluated->summary())};
}

absl::Duration WallTimeLeft(const JobHistory& history, absl::Time now) {
  if (history.budget.wall_s() <= 0) return absl::InfiniteDuration();
  int64_t used_us = history.active_before_us;
  if (history.active_since_unix_us > 0) used_us += absl::ToUnixMicros(now) - history.active_since_unix_us;
  return absl::Seconds(history.budget.wall_s()) - absl::Microseconds(used_us);
}

}  // namespace kernelsmith::server
