// Turns what the reference process says about a task into its specification. The process ran the user's code, so its
// answer is checked like any input. Pure.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "kernelsmith/v1/task.pb.h"
#include "nlohmann/json.hpp"
#include "worker/reference/reference.h"

namespace kernelsmith::worker {

// INVALID_ARGUMENT if the task is too large or has no input or output; DATA_LOSS if the answer has another form than
// the reference process sends.
absl::StatusOr<v1::TaskSpec> SpecFromInspection(const v1::TaskSource& source, const nlohmann::json& answer);

// The numbers of `outputs` outputs from the answer to "run". DATA_LOSS if they are missing, negative or NaN.
absl::StatusOr<std::vector<Expected::Numbers>> NumbersFromAnswer(const nlohmann::json& answer, size_t outputs);

}  // namespace kernelsmith::worker
