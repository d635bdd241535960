// What this machine must have to drive Ascend cards, real or emulated. The worker's own program does the looking, so
// that what is checked is what workers use.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cli/doctor/check.h"
#include "client/cli/process/run_command.h"

namespace kernelsmith::client {

// Runs `kernelsmith-worker --check` in `programs` on the CANN that `up --card-kind ascend` would take.
std::vector<Finding> AscendFindings(const std::string& programs);

// Of the output of that command. Pure.
std::vector<Finding> JudgeAscend(const absl::StatusOr<CommandResult>& run);

}  // namespace kernelsmith::client
