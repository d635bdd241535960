// Delays between retries: exponential with full jitter.
#pragma once

#include "absl/random/bit_gen_ref.h"
#include "absl/time/time.h"

namespace kernelsmith::common {

struct BackoffPolicy {
  absl::Duration initial = absl::Milliseconds(200);
  absl::Duration cap = absl::Seconds(10);
  double factor = 2.0;
};

// Delay before retry number `retry` (from 1): uniform in [half, whole] of min(cap, initial * factor^(retry-1)).
absl::Duration BackoffDelay(const BackoffPolicy& policy, int retry, absl::BitGenRef random);

}  // namespace kernelsmith::common
