// Evaluate and Compare: a candidate goes through a card without a job. The task is inspected first; what happens is
// told as it happens; a caller who hangs up cancels the work.
#pragma once

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "kernelsmith/v1/coordinator.pb.h"
#include "server/scheduling/evaluation_queue.h"

namespace kernelsmith::server {

struct OneShotContext {
  EvaluationQueue& queue;
  std::string team;
  std::string input_secret;  // 32 bytes
  v1::Limits limits;         // defaults
  int64_t now_unix_us = 0;
  std::function<void(const std::string& activity)> tell;
  std::function<bool()> cancelled;
};

// The verdict. FAILED_PRECONDITION if the task is not valid, UNAVAILABLE if no worker could finish, CANCELLED, or
// UNAVAILABLE at shutdown. REQUIRES: the requests are checked, and card_kind is set.
absl::StatusOr<v1::EvaluationReport> EvaluateOnce(const OneShotContext& context, const v1::EvaluateRequest& request);
absl::StatusOr<v1::EvaluationReport> CompareOnce(const OneShotContext& context, const v1::CompareRequest& request);

}  // namespace kernelsmith::server
