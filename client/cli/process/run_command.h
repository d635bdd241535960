// Runs a short command and takes its output.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace kernelsmith::client {

struct CommandResult {
  int exit_code = 0;   // 128 + signal if one killed it
  std::string output;  // stdout and stderr, at most 64 KiB
};

// DEADLINE_EXCEEDED after the timeout, with the command killed; NOT_FOUND if there is no such program.
absl::StatusOr<CommandResult> RunCommand(const std::vector<std::string>& arguments, absl::Duration timeout);

}  // namespace kernelsmith::client
