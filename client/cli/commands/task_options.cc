#include "client/cli/commands/task_options.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/status.h"
#include "kernelsmith/client/task.h"

namespace kernelsmith::client {

namespace fs = std::filesystem;

void AddTaskOptions(Command& command, TaskOptions& options) {
  command
      .Option("task", options.path,
              "the operator: a KernelBench file (*.py), a native task folder, or a task.json of `best`")
      .Required();
  command
      .Option("--set", options.overrides,
              "replace a constant of the file before it runs, for example N=512; may be repeated")
      .TypeName("NAME=VALUE");
  command.Option("--dtype", options.dtype, "type of the floating-point tensors: fp32, fp16, bf16, fp64");
}

absl::StatusOr<v1::TaskSource> TaskFrom(const TaskOptions& options) {
  ASSIGN_OR_RETURN(v1::TaskSource task, LoadTask(options.path));
  for (const std::string& assignment : options.overrides) RETURN_IF_ERROR(AddOverride(assignment, task));
  if (!options.dtype.empty()) {
    ASSIGN_OR_RETURN(const v1::DType dtype, ParseDType(options.dtype));
    if (dtype != v1::FP32 && dtype != v1::FP16 && dtype != v1::BF16 && dtype != v1::FP64) {
      return common::InvalidField("dtype", absl::StrCat("'", options.dtype,
                                                        "' is no floating-point type; only those can be overridden: "
                                                        "fp32, fp16, bf16, fp64"));
    }
    task.set_dtype(dtype);
  }
  return task;
}

absl::Status CheckOutFolder(const std::string& folder) {
  if (folder.empty()) return absl::OkStatus();
  std::error_code error;
  fs::path existing = fs::absolute(folder, error);
  while (!fs::exists(existing, error) && existing.has_parent_path() && existing != existing.parent_path()) {
    existing = existing.parent_path();
  }
  if (!fs::is_directory(existing, error)) {
    return common::InvalidField("out", absl::StrCat(existing.string(), " is no folder; name a folder for the kernel"));
  }
  if (access(existing.c_str(), W_OK | X_OK) == 0) return absl::OkStatus();
  return common::InvalidField("out", absl::StrCat("cannot write in ", existing.string(), "; name another folder"));
}

absl::StatusOr<double> ParseSeconds(absl::string_view text, absl::string_view option) {
  double seconds = 0;
  absl::Duration duration;
  if (!absl::SimpleAtod(text, &seconds)) {
    if (!absl::ParseDuration(text, &duration)) {
      return common::InvalidField(option, absl::StrCat("'", text, "' is no time; give seconds, or 90s, 10m, 1h30m"));
    }
    seconds = absl::ToDoubleSeconds(duration);
  }
  if (seconds >= 0 && seconds < 1e9) return seconds;
  return common::InvalidField(option, absl::StrCat("'", text, "' is out of range"));
}

}  // namespace kernelsmith::client
