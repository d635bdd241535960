#include "common/backoff.h"

#include <algorithm>
#include <cmath>

#include "absl/random/distributions.h"

namespace kernelsmith::common {

absl::Duration BackoffDelay(const BackoffPolicy& policy, int retry, absl::BitGenRef random) {
  const double growth = std::pow(policy.factor, std::min(retry - 1, 60));
  const absl::Duration whole = std::min(policy.cap, policy.initial * growth);
  return whole * absl::Uniform(random, 0.5, 1.0);
}

}  // namespace kernelsmith::common
