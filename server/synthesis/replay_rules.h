// What a replay of a dead letter does to a job. Pure.
//
//   ASSIGN_OR_RETURN(*event.mutable_evaluation_replayed(), ReplayOf(letter_id, history));
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "kernelsmith/v1/job.pb.h"
#include "server/synthesis/job_history.h"

namespace kernelsmith::server {

// Takes up again the evaluation for which the job FAILED: that of its last round, or the inspection of its task. It
// runs under a new assignment id, so that no late result of the old one counts. FAILED_PRECONDITION if nothing waits
// for the letter: the job goes on without it, or ended otherwise; the message says what to do instead.
absl::StatusOr<v1::EvaluationReplayed> ReplayOf(const std::string& letter_id, const JobHistory& history);

}  // namespace kernelsmith::server
