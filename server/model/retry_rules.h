// Which failed requests are sent again, and when. Pure.
//
// Sent again: 408, 409, 429 and 500 or above, no connection, no answer. Not sent again: other statuses, and a reply
// that broke after its first byte, because it was generated (and billed) already. The server's x-should-retry overrules
// the status. Delays: Retry-After if the server gives one, else 0.5 s doubling to 8 s with jitter.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "absl/random/bit_gen_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/backoff.h"

namespace kernelsmith::server {

using HttpHeaders = std::map<std::string, std::string>;  // lower-case names

struct RetryPolicy {
  int max_retries = 4;
  absl::Duration max_retry_after = absl::Seconds(120);
  common::BackoffPolicy backoff = {.initial = absl::Milliseconds(500), .cap = absl::Seconds(8)};
};

// The statuses above, unless x-should-retry says "true" or "false".
bool IsRetryableReply(int status, const HttpHeaders& headers);

// retry-after-ms, or Retry-After as seconds or HTTP date; nothing if absent or unreadable. A date in the past is zero.
std::optional<absl::Duration> RetryAfterOf(const HttpHeaders& headers, absl::Time now);

// The delay before retry number `retry` (from 1). RESOURCE_EXHAUSTED if all retries are used, or the server asks for a
// longer pause than the policy accepts.
absl::StatusOr<absl::Duration> DelayBeforeRetry(const RetryPolicy& policy, int retry,
                                                std::optional<absl::Duration> retry_after, absl::BitGenRef random);

}  // namespace kernelsmith::server
