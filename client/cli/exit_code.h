// What the program's exit codes mean. docs/cli.md repeats the table for users.
#pragma once

#include "absl/status/status.h"
#include "kernelsmith/v1/evaluation.pb.h"
#include "kernelsmith/v1/job.pb.h"

namespace kernelsmith::client {

enum ExitCode : int {
  kExitOk = 0,
  kExitFailed = 1,       // a job ended without a correct kernel, a candidate failed, a check of doctor failed
  kExitUsage = 2,        // the command line or an argument is wrong
  kExitNotFound = 3,     // no such job, round, item or card
  kExitUnreachable = 4,  // the server could not be reached, or did not answer in time
  kExitRefused = 5,      // the server refused: state, limit or permission
  kExitCancelled = 6,    // the job or evaluation was cancelled
  kExitInternal = 70,    // a bug or damaged data
  kExitDetached = 130,   // Ctrl-C: the program left, the job goes on
};

ExitCode ExitCodeOf(const absl::Status& status);
// Of a job that ended; kExitOk for one that has not.
ExitCode ExitCodeOf(v1::JobState state);
ExitCode ExitCodeOf(v1::EvaluationStatus status);

}  // namespace kernelsmith::client
