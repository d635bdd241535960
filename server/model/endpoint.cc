#include "server/model/endpoint.h"

#include <cmath>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/status.h"

namespace kernelsmith::server {
namespace {

absl::Status Bad(const config::v1::ModelEndpoint& endpoint, absl::string_view field, absl::string_view what) {
  return common::InvalidField(absl::StrCat("endpoints[", endpoint.name(), "].", field), what);
}

absl::Status CheckUrl(const config::v1::ModelEndpoint& endpoint) {
  absl::string_view rest = endpoint.base_url();
  if (!absl::ConsumePrefix(&rest, "http://") && !absl::ConsumePrefix(&rest, "https://")) {
    return Bad(endpoint, "base_url",
               "does not begin with http:// or https://; give for example \"http://127.0.0.1:8000/v1\"");
  }
  if (rest.empty() || rest.front() == '/') return Bad(endpoint, "base_url", "names no host");
  if (rest.find('@') != absl::string_view::npos) {
    return Bad(endpoint, "base_url", "holds a user or password; use api_key_file or api_key_env");
  }
  if (rest.find_first_of("?# \r\n") != absl::string_view::npos) {
    return Bad(endpoint, "base_url", "holds a query, fragment or blank; end it with the path, for example \"/v1\"");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Endpoint> ResolveEndpoint(const config::v1::ModelEndpoint& endpoint) {
  if (endpoint.name().empty())
    return common::InvalidField("endpoints.name", "is empty; a job chooses an endpoint by it");
  RETURN_IF_ERROR(CheckUrl(endpoint));
  if (!endpoint.api_key_file().empty() && !endpoint.api_key_env().empty()) {
    return Bad(endpoint, "api_key_env", "is set beside api_key_file; keep one of them");
  }
  Endpoint result{
      .name = endpoint.name(),
      .url = absl::StrCat(absl::StripSuffix(endpoint.base_url(), "/"), "/chat/completions"),
      .model = endpoint.model(),
      .price = {endpoint.price_per_million_prompt_tokens(), endpoint.price_per_million_completion_tokens()}};
  for (const auto& [field, value] :
       {std::pair("price_per_million_prompt_tokens", result.price.per_million_prompt),
        std::pair("price_per_million_completion_tokens", result.price.per_million_completion),
        std::pair("connect_timeout_s", endpoint.connect_timeout_s()),
        std::pair("first_byte_timeout_s", endpoint.first_byte_timeout_s()),
        std::pair("idle_timeout_s", endpoint.idle_timeout_s()),
        std::pair("total_timeout_s", endpoint.total_timeout_s()),
        std::pair("max_retry_after_s", endpoint.max_retry_after_s()),
        std::pair("max_completion_tokens", double(endpoint.max_completion_tokens())),
        std::pair("context_window", double(endpoint.context_window())),
        std::pair("max_retries", double(endpoint.max_retries())),
        std::pair("max_concurrent", double(endpoint.max_concurrent()))}) {
    if (!std::isfinite(value) || value < 0) return Bad(endpoint, field, "is not a number from 0");
  }
  auto seconds = [](double value, absl::Duration& limit) {
    if (value > 0) limit = absl::Seconds(value);
  };
  seconds(endpoint.connect_timeout_s(), result.limits.connect);
  seconds(endpoint.first_byte_timeout_s(), result.limits.first_byte);
  seconds(endpoint.idle_timeout_s(), result.limits.idle);
  seconds(endpoint.total_timeout_s(), result.limits.total);
  seconds(endpoint.max_retry_after_s(), result.retry.max_retry_after);
  if (endpoint.has_max_retries()) result.retry.max_retries = endpoint.max_retries();
  if (endpoint.max_completion_tokens() > 0) result.max_completion_tokens = endpoint.max_completion_tokens();
  if (endpoint.context_window() > 0) result.context_window = endpoint.context_window();
  if (endpoint.max_concurrent() > 0) result.max_concurrent = endpoint.max_concurrent();
  if (result.max_completion_tokens >= result.context_window) {
    return Bad(endpoint, "max_completion_tokens",
               absl::StrCat("is ", result.max_completion_tokens,
                            ", which leaves no room for a prompt in the context_window of ", result.context_window));
  }
  return result;
}

}  // namespace kernelsmith::server
