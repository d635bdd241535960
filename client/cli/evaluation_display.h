// Shows a running evaluation (eval, compare): activity lines, then the verdict.
#pragma once

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "client/cli/session.h"
#include "kernelsmith/v1/evaluation.pb.h"

namespace kernelsmith::client {

// What to pass to Client::Evaluate as on_activity.
std::function<void(const std::string&)> ActivityPrinter(const Session& session);

// Prints the report (`text` for people) or the error; returns the exit code.
int FinishEvaluation(const Session& session, const absl::StatusOr<v1::EvaluationReport>& report,
                     const std::function<std::string(const v1::EvaluationReport&)>& text);

}  // namespace kernelsmith::client
