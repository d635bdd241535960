// Repeats a call while the server is UNAVAILABLE.
#pragma once

#include <functional>
#include <stop_token>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace kernelsmith::client {

// Sleeps, but not beyond a request to stop. False if it was requested.
bool SleepUnlessStopped(absl::Duration duration, const std::stop_token& stop);

// Runs `call` until it returns something other than UNAVAILABLE, or `retry_for` has passed since the first try.
absl::Status RetryUnavailable(absl::Duration retry_for, const std::function<absl::Status()>& call);

}  // namespace kernelsmith::client
