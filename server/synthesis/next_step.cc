#include "server/synthesis/next_step.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace kernelsmith::server {
namespace {

bool HasUnscoredRounds(const JobHistory& history, v1::Stage stage) {
  const int scored_to = stage == v1::DRAFTING ? history.drafting_scored_to : history.refining_scored_to;
  return std::any_of(history.rounds.begin(), history.rounds.end(), [&](const RoundState& round) {
    return round.recorded && round.started.stage() == stage && round.number() > scored_to;
  });
}

StepKind NextOfRound(const RoundState& round, const JobHistory& history) {
  const bool given = round.number() == 1 && history.spec.has_start_from();
  if (!round.proposed) return round.context || given ? StepKind::kPropose : StepKind::kAssembleContext;
  if (!round.has_candidate() || round.evaluated) return StepKind::kRecordRound;
  return round.assignment_id.empty() ? StepKind::kQueueEvaluation : StepKind::kEvaluate;
}

// "<job>/<round>"; an abandoned round is another attempt than the one that takes its number.
std::string NextAttemptId(const JobHistory& history) {
  std::string id = absl::StrCat(history.job_id, "/", history.rounds.size() + 1);
  if (history.abandoned_rounds > 0) absl::StrAppend(&id, ".", history.abandoned_rounds);
  return id;
}

}  // namespace

Step NextStep(const JobHistory& history, absl::Time now) {
  if (history.ended) return {};
  if (!history.task) return {.kind = StepKind::kResolveTask};
  if (const RoundState* open = history.open_round()) {
    return {.kind = NextOfRound(*open, history), .round = open->number()};
  }
  if (history.incumbent_round > 0 && HasUnscoredRounds(history, v1::DRAFTING)) {
    return {.kind = StepKind::kCompleteStage, .stage = v1::DRAFTING};
  }
  if (const auto ending = EndingBetweenRounds(history, now)) return StepTowards(*ending, history);
  return {.kind = StepKind::kStartRound,
          .round = static_cast<int>(history.rounds.size()) + 1,
          .stage = history.incumbent_round > 0 ? v1::REFINING : v1::DRAFTING,
          .start_round = StartRound(history),
          .attempt_id = NextAttemptId(history)};
}

Step StepTowards(const Ending& ending, const JobHistory& history) {
  if (ending.state == v1::SUCCEEDED || ending.state == v1::EXHAUSTED) {
    for (const v1::Stage stage : {v1::DRAFTING, v1::REFINING}) {
      if (HasUnscoredRounds(history, stage))
        return {.kind = StepKind::kCompleteStage, .stage = stage, .ending = ending};
    }
  }
  return {.kind = StepKind::kEndJob, .ending = ending};
}

int ChosenStartRound(const v1::ListStartPointsResponse& points, const std::string& producer, const JobHistory& history,
                     int fallback) {
  const auto chosen = std::find_if(points.start_points().begin(), points.start_points().end(),
                                   [&](const v1::StartPoint& point) { return point.chosen(); });
  if (chosen == points.start_points().end() || chosen->producer() != producer) return fallback;
  for (const RoundState& round : history.rounds) {
    const bool correct = round.is_evidence() && round.evaluated->status() == v1::PASSED;
    if (correct && round.started.attempt_id() == chosen->attempt_id()) return round.number();
  }
  return fallback;
}

int StartRound(const JobHistory& history) {
  if (history.incumbent_round > 0) return history.incumbent_round;
  for (auto round = history.rounds.rbegin(); round != history.rounds.rend(); ++round) {
    if (round->is_evidence()) return round->number();
  }
  return 0;
}

}  // namespace kernelsmith::server
