#include "server/model/model_metrics.h"

namespace kernelsmith::server {

void ModelMetrics::CountRequest(absl::string_view outcome, absl::Duration took) {
  metrics_
      .AddCounter("kernelsmith_model_requests_total", "HTTP requests to model endpoints by outcome, retries included",
                  {{"endpoint", endpoint_}, {"outcome", std::string(outcome)}})
      .Increment();
  metrics_
      .AddHistogram("kernelsmith_model_request_seconds", "Duration of HTTP requests to model endpoints",
                    {{"endpoint", endpoint_}})
      .Observe(absl::ToDoubleSeconds(took));
}

void ModelMetrics::CountRetry() {
  metrics_
      .AddCounter("kernelsmith_model_retries_total", "Requests to model endpoints that were sent again",
                  {{"endpoint", endpoint_}})
      .Increment();
}

void ModelMetrics::CountCall(const TokenUsage& usage, double money) {
  auto tokens = [this](const char* kind, int64_t count) {
    metrics_
        .AddCounter("kernelsmith_model_tokens_total", "Tokens that model calls were settled at",
                    {{"endpoint", endpoint_}, {"kind", kind}})
        .Increment(static_cast<double>(count));
  };
  tokens("prompt", usage.prompt);
  tokens("completion", usage.completion);
  tokens("cached", usage.cached);
  metrics_
      .AddCounter("kernelsmith_model_cost_total", "Cost that model calls were settled at, in the price list's currency",
                  {{"endpoint", endpoint_}})
      .Increment(money);
}

}  // namespace kernelsmith::server
