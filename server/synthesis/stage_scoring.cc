#include "server/synthesis/stage_scoring.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace kernelsmith::server {

StageOutcome OutcomeOf(v1::Stage stage, const JobHistory& history) {
  const auto earlier = std::count_if(history.stages.begin(), history.stages.end(),
                                     [&](const v1::StageCompleted& completed) { return completed.stage() == stage; });
  StageOutcome outcome;
  outcome.stage_id = absl::StrCat(history.job_id, "/", v1::Stage_Name(stage), "/", earlier + 1);
  const int scored_to = stage == v1::DRAFTING ? history.drafting_scored_to : history.refining_scored_to;
  bool first = true;
  for (const RoundState& round : history.rounds) {
    if (!round.recorded || round.started.stage() != stage || round.number() <= scored_to) continue;
    if (first && stage == v1::REFINING) {
      const RoundState* before = history.round(round.number() - 1);
      outcome.first_us = before == nullptr || !before->recorded ? 0 : before->recorded->best_us();
    }
    first = false;
    // A round that was never dispatched has no adoption on record, and no outcome to give credit for.
    if (round.assignment_id.empty() || !round.context || round.context->retrieval_id().empty()) continue;
    outcome.retrieval_ids.push_back(round.context->retrieval_id());
  }
  if (stage == v1::DRAFTING) {
    outcome.passed = history.incumbent_round > 0;
  } else {
    outcome.best_us = history.best_us();
    outcome.passed = outcome.best_us > 0 && outcome.best_us < outcome.first_us;
  }
  return outcome;
}

}  // namespace kernelsmith::server
