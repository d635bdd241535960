// What this machine must have to run workers.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/cli/doctor/check.h"
#include "client/cli/process/run_command.h"

namespace kernelsmith::client {

// Runs commands and reads the system. `data_folder` need not exist.
std::vector<Finding> HostFindings(const std::string& data_folder);

// Judgements of what was found, pure.
Finding JudgeBubblewrap(const absl::StatusOr<CommandResult>& run);
Finding JudgeCompiler(const absl::StatusOr<CommandResult>& version);
Finding JudgePython(const absl::StatusOr<CommandResult>& import);
Finding JudgeDisk(const absl::StatusOr<int64_t>& free_bytes, const std::string& folder);
Finding JudgeClock(const std::string& clock_source, int64_t resolution_ns, int64_t unix_seconds);
Finding JudgeCores(int cores);

}  // namespace kernelsmith::client
