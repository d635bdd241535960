// What a job does next, as a function of its history. The loop performs the step, which appends at least one event, and
// asks again:
//
//   resolve task -> [ start round -> assemble context -> propose -> queue evaluation -> evaluate -> record round ]*
//                   with "complete stage" after the first correct round and before the end -> end job
#pragma once

#include <string>

#include "absl/time/time.h"
#include "kernelsmith/v1/job.pb.h"
#include "kernelsmith/v1/memory.pb.h"
#include "server/synthesis/ending_rules.h"
#include "server/synthesis/job_history.h"

namespace kernelsmith::server {

enum class StepKind {
  kNothing,  // the job has ended
  kResolveTask,
  kStartRound,
  kAssembleContext,
  kPropose,
  kQueueEvaluation,  // the adoption is recorded first
  kEvaluate,
  kRecordRound,
  kCompleteStage,
  kEndJob,
};

struct Step {
  StepKind kind = StepKind::kNothing;
  int round = 0;                            // of the steps of a round
  v1::Stage stage = v1::STAGE_UNSPECIFIED;  // of kStartRound and kCompleteStage
  int start_round = 0;                      // of kStartRound: whose code to start from, 0 for none
  std::string attempt_id;                   // of kStartRound: unique within the coordinator, the same after a restart
  Ending ending;                            // of kEndJob
};

Step NextStep(const JobHistory& history, absl::Time now);

// The steps that lead to this ending: an unscored stage is completed before a job ends with a result. A job that failed
// or was cancelled has no outcome to score.
Step StepTowards(const Ending& ending, const JobHistory& history);

// The round of the start point that memory's policy chose, if it may be started from; otherwise `fallback`.
int ChosenStartRound(const v1::ListStartPointsResponse& points, const std::string& producer, const JobHistory& history,
                     int fallback);

// The incumbent's round. Before there is one: the newest attempt that memory knows, to be repaired; 0 for a draft from
// nothing.
int StartRound(const JobHistory& history);

}  // namespace kernelsmith::server
