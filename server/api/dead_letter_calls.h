// The calls about dead letters, below gRPC: evaluations that were given up after too many infrastructure failures. A
// team sees and replays its own only.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "kernelsmith/v1/coordinator.pb.h"
#include "server/api/intake.h"
#include "server/api/key_claims.h"
#include "server/jobs/job_store.h"
#include "server/scheduling/evaluation_queue.h"
#include "server/synthesis/job_runner.h"

namespace kernelsmith::server {

// Thread-safe.
class DeadLetterCalls {
 public:
  // The arguments must outlive the object.
  DeadLetterCalls(JobStore& store, EvaluationQueue& queue, JobRunner& runner, const Intake& intake)
      : store_(store), queue_(queue), runner_(runner), intake_(intake) {}

  // INVALID_ARGUMENT for a page size out of range, or a token that this call did not return.
  absl::StatusOr<v1::ListDeadLettersResponse> List(const std::string& team,
                                                   const v1::ListDeadLettersRequest& request) const;

  // The event is in the job's log before the letter goes, so a replay that a crash cut off is completed by repeating
  // it. Errors as Coordinator::ReplayDeadLetter; RESOURCE_EXHAUSTED while the disk is nearly full.
  absl::StatusOr<v1::ReplayDeadLetterResponse> Replay(const std::string& team,
                                                      const v1::ReplayDeadLetterRequest& request);

 private:
  absl::StatusOr<v1::DeadLetter> Find(const std::string& team, const std::string& id) const;

  JobStore& store_;
  EvaluationQueue& queue_;
  JobRunner& runner_;
  const Intake& intake_;
  KeyClaims replaying_;  // by letter
};

}  // namespace kernelsmith::server
