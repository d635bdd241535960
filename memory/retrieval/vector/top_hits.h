// The best `limit` of what is offered: the greater score first, of equal scores the later item.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace kernelsmith::memory {

struct ScoredItem {
  float score = 0;
  uint32_t item = 0;
};

inline bool IsBetter(const ScoredItem& a, const ScoredItem& b) {
  return a.score != b.score ? a.score > b.score : a.item > b.item;
}

class TopHits {
 public:
  explicit TopHits(size_t limit) : limit_(limit) { hits_.reserve(std::min<size_t>(limit, 1024)); }

  // False if nothing of this score can get in, whatever its item.
  bool Admits(float score) const { return score >= floor_; }

  // False if it is not among the best so far.
  bool Offer(float score, uint32_t item) {
    const ScoredItem hit{score, item};
    if (hits_.size() == limit_) {
      if (limit_ == 0 || !IsBetter(hit, hits_.front())) return false;
      std::pop_heap(hits_.begin(), hits_.end(), IsBetter);
      hits_.back() = hit;
    } else {
      hits_.push_back(hit);
    }
    std::push_heap(hits_.begin(), hits_.end(), IsBetter);
    if (hits_.size() == limit_) floor_ = hits_.front().score;
    return true;
  }

  size_t size() const { return hits_.size(); }

  // In order. Leaves nothing behind.
  std::vector<ScoredItem> Take() {
    std::sort(hits_.begin(), hits_.end(), IsBetter);
    floor_ = std::numeric_limits<float>::lowest();
    return std::exchange(hits_, {});
  }

 private:
  size_t limit_;
  float floor_ = std::numeric_limits<float>::lowest();
  std::vector<ScoredItem> hits_;  // a heap, the worst first
};

}  // namespace kernelsmith::memory
