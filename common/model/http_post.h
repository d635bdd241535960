// One HTTP POST through libcurl, on the calling thread. No redirects are followed, so that a key never goes to another
// host; loopback is never proxied.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace kernelsmith::common {

struct PostRequest {
  std::string url;
  std::vector<std::string> headers;  // "Name: value"
  std::string body;
  absl::Duration timeout = absl::Seconds(10);  // of the whole exchange
  size_t longest_reply = size_t{64} << 20;     // bytes
  std::function<bool()> cancelled = {};        // polled about once a second; true ends the exchange
};

struct PostReply {
  int status = 0;
  std::optional<absl::Duration> retry_after;  // of the header, as seconds or date; a past date is zero
  std::string body;
};

// Any reply that came whole, whatever its status. CANCELLED: `cancelled` said so. UNAVAILABLE: no connection, no answer
// in time, a broken or too long reply; the message says which and never holds a header.
absl::StatusOr<PostReply> Post(const PostRequest& request);

// Of a Retry-After header; nothing if unreadable.
std::optional<absl::Duration> ParseRetryAfter(const std::string& value, absl::Time now);

}  // namespace kernelsmith::common
