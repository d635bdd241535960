// Latencies of calls and their quantiles.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/time/time.h"

namespace kernelsmith::memory::bench {

class Latencies {
 public:
  void Add(absl::Duration latency) { values_.push_back(latency); }
  size_t size() const { return values_.size(); }

  // The smallest latency that at least this share of the calls did not exceed. REQUIRES: 0 < share <= 1. 0 if empty.
  absl::Duration Quantile(double share) {
    if (values_.empty()) return absl::ZeroDuration();
    const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(values_.size()))) - 1;
    std::nth_element(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(rank), values_.end());
    return values_[rank];
  }

 private:
  std::vector<absl::Duration> values_;
};

}  // namespace kernelsmith::memory::bench
