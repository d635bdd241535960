#include "server/model/retry_rules.h"

#include <curl/curl.h>

#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace kernelsmith::server {
namespace {

std::optional<double> NonNegativeNumber(const std::string& text) {
  double number = 0;
  if (!absl::SimpleAtod(text, &number) || !std::isfinite(number) || number < 0) return std::nullopt;
  return number;
}

}  // namespace

bool IsRetryableReply(int status, const HttpHeaders& headers) {
  if (const auto told = headers.find("x-should-retry"); told != headers.end()) {
    if (told->second == "true") return true;
    if (told->second == "false") return false;
  }
  return status == 408 || status == 409 || status == 429 || status >= 500;
}

std::optional<absl::Duration> RetryAfterOf(const HttpHeaders& headers, absl::Time now) {
  if (const auto millis = headers.find("retry-after-ms"); millis != headers.end()) {
    if (const auto number = NonNegativeNumber(millis->second)) return absl::Milliseconds(*number);
  }
  const auto header = headers.find("retry-after");
  if (header == headers.end()) return std::nullopt;
  if (const auto seconds = NonNegativeNumber(header->second)) return absl::Seconds(*seconds);
  const time_t date = curl_getdate(header->second.c_str(), nullptr);
  if (date == -1) return std::nullopt;
  return std::max(absl::FromTimeT(date) - now, absl::ZeroDuration());
}

absl::StatusOr<absl::Duration> DelayBeforeRetry(const RetryPolicy& policy, int retry,
                                                std::optional<absl::Duration> retry_after, absl::BitGenRef random) {
  if (retry > policy.max_retries) {
    return absl::ResourceExhaustedError(absl::StrCat("gave up after ", retry, " requests"));
  }
  if (!retry_after.has_value()) return common::BackoffDelay(policy.backoff, retry, random);
  if (*retry_after > policy.max_retry_after) {
    return absl::ResourceExhaustedError(absl::StrCat("the server asks to wait ", absl::FormatDuration(*retry_after),
                                                     ", longer than max_retry_after_s accepts (",
                                                     absl::FormatDuration(policy.max_retry_after), ")"));
  }
  return *retry_after;
}

}  // namespace kernelsmith::server
