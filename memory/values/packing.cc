#include "memory/values/packing.h"

#include <algorithm>

namespace kernelsmith::memory {
namespace {

// The longest rendering of at most `room` tokens.
int LongestThatFits(const PackCandidate& candidate, int64_t room) {
  for (int i = 0; i < candidate.renderings; ++i) {
    if (candidate.tokens(i) <= room) return i;
  }
  return kLeftOut;
}

}  // namespace

std::vector<int> PackTier(const std::vector<PackCandidate>& candidates, int64_t quota, int64_t kept_for_failures) {
  std::vector<int> choice(candidates.size(), kLeftOut);
  int64_t used = 0;
  const auto admit = [&](bool failures, int64_t limit) {
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (candidates[i].failure != failures || choice[i] != kLeftOut) continue;
      choice[i] = LongestThatFits(candidates[i], limit - used);
      if (choice[i] != kLeftOut) used += candidates[i].tokens(choice[i]);
    }
  };
  admit(/*failures=*/true, std::min(kept_for_failures, quota));
  admit(/*failures=*/false, quota);
  admit(/*failures=*/true, quota);
  return choice;
}

std::vector<int> EdgeOrder(int count) {
  std::vector<int> order;
  order.reserve(count);
  for (int i = 0; i < count; i += 2) order.push_back(i);
  for (int i = count - 1 - count % 2; i > 0; i -= 2) order.push_back(i);
  return order;
}

std::vector<int> SelectWithFailures(const std::vector<bool>& is_failure, int k) {
  const int count = static_cast<int>(is_failure.size());
  std::vector<int> failures;
  std::vector<int> others;
  for (int i = 0; i < count; ++i) (is_failure[i] ? failures : others).push_back(i);
  const int kept = std::min<int>(static_cast<int>(failures.size()), 3 * k / 10);
  // The best `kept` failures are in; the remaining places go by rank to everything else.
  std::vector<int> rest = others;
  rest.insert(rest.end(), failures.begin() + kept, failures.end());
  std::sort(rest.begin(), rest.end());
  std::vector<int> selected(failures.begin(), failures.begin() + kept);
  const int open = std::min<int>(k - kept, static_cast<int>(rest.size()));
  selected.insert(selected.end(), rest.begin(), rest.begin() + open);
  std::sort(selected.begin(), selected.end());
  return selected;
}

}  // namespace kernelsmith::memory
