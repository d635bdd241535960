// Which items of one tier fit into its quota, whole, and in which order they stand.
//
//   const std::vector<int> choice = PackTier(candidates, quotas.warm, quotas.warm_failures);
//   choice[i] == kLeftOut, or the index of the rendering to show
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace kernelsmith::memory {

struct PackCandidate {
  int renderings = 1;                  // from long to short
  std::function<int64_t(int)> tokens;  // of a rendering; asked for only when the rendering may be taken
  bool failure = false;                // a failed attempt, entitled to the kept share
};

constexpr int kLeftOut = -1;

// Chooses for every candidate (given from best to worst) the index of its longest rendering that still fits whole, or
// kLeftOut. Failures are admitted first, into `kept_for_failures` tokens of the quota; then the others into what is
// left; then the failures that found no room in the kept share. An item that does not fit is skipped and the next one
// is tried.
std::vector<int> PackTier(const std::vector<PackCandidate>& candidates, int64_t quota, int64_t kept_for_failures);

// Order in the prompt of `count` items given from best to worst: the strongest at the two edges, the weakest in the
// middle. The result holds, for each place of the prompt, the index of the item: 0, 2, 4, ..., 5, 3, 1.
std::vector<int> EdgeOrder(int count);

// The best `k` of `is_failure.size()` items given from best to worst, with floor(0.3*k) places kept for failures if
// there are any. Returns indexes in rising order.
std::vector<int> SelectWithFailures(const std::vector<bool>& is_failure, int k);

}  // namespace kernelsmith::memory
