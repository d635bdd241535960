// kernelsmith_model_*: what an endpoint is asked and what it costs.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/metrics.h"
#include "server/model/chat_completion.h"

namespace kernelsmith::server {

class ModelMetrics {
 public:
  ModelMetrics(common::Metrics& metrics, std::string endpoint) : metrics_(metrics), endpoint_(std::move(endpoint)) {}

  // One HTTP request: kernelsmith_model_requests_total{endpoint, outcome}, kernelsmith_model_request_seconds{endpoint}.
  void CountRequest(absl::string_view outcome, absl::Duration took);
  // kernelsmith_model_retries_total{endpoint}
  void CountRetry();
  // One call: kernelsmith_model_tokens_total{endpoint, kind = prompt|completion|cached},
  // kernelsmith_model_cost_total{endpoint} in the price list's currency.
  void CountCall(const TokenUsage& usage, double money);

 private:
  common::Metrics& metrics_;
  const std::string endpoint_;
};

}  // namespace kernelsmith::server
