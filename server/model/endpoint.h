// A model endpoint of the configuration with its defaults filled in and its mistakes refused. Pure.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "kernelsmith/config/v1/config.pb.h"
#include "server/model/http_post.h"
#include "server/model/retry_rules.h"
#include "server/model/token_price.h"

namespace kernelsmith::server {

struct Endpoint {
  std::string name;
  std::string url;    // of chat completions
  std::string model;  // used where a job names none
  int64_t max_completion_tokens = 8192;
  int64_t context_window = 32768;
  int max_concurrent = 4;
  HttpLimits limits;
  RetryPolicy retry;
  TokenPrice price;
};

// INVALID_ARGUMENT names the field.
absl::StatusOr<Endpoint> ResolveEndpoint(const config::v1::ModelEndpoint& endpoint);

}  // namespace kernelsmith::server
