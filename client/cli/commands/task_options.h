// Options that name a task: submit, eval and compare share them.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/cli/command.h"
#include "kernelsmith/v1/task.pb.h"

namespace kernelsmith::client {

struct TaskOptions {
  std::string path;
  std::vector<std::string> overrides;  // NAME=VALUE
  std::string dtype;
};

void AddTaskOptions(Command& command, TaskOptions& options);
absl::StatusOr<v1::TaskSource> TaskFrom(const TaskOptions& options);

// INVALID_ARGUMENT if `folder`, where a result will go, is a file or cannot be made: better said before the work than
// after it. OK for an empty name.
absl::Status CheckOutFolder(const std::string& folder);

// Seconds from "90", "90s", "10m" or "1h30m". INVALID_ARGUMENT names `option`.
absl::StatusOr<double> ParseSeconds(absl::string_view text, absl::string_view option);

}  // namespace kernelsmith::client
