// The best `limit` of the offered (score, item): higher scores first, of equal scores the later item.
//
//   BestItems best(100);
//   if (bound > best.threshold()) best.Offer(score, item);
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace kernelsmith::memory {

struct BestItem {
  double score;
  uint32_t item;
};

class BestItems {
 public:
  // REQUIRES: limit > 0
  explicit BestItems(size_t limit) : limit_(limit) {}

  // No score at or below the floor has a place. Only rises. REQUIRES: at least `limit` items score above `floor`.
  void RaiseFloor(double floor) { floor_ = std::max(floor_, floor); }

  // A score at or below it has no place unless it equals it and its item is later than one that is here.
  double threshold() const { return hits_.size() < limit_ ? floor_ : std::max(floor_, hits_.front().score); }

  void Offer(double score, uint32_t item) {
    if (score <= floor_) return;
    const BestItem offered{score, item};
    if (hits_.size() < limit_) {
      hits_.push_back(offered);
      std::push_heap(hits_.begin(), hits_.end(), Better);
    } else if (Better(offered, hits_.front())) {
      std::pop_heap(hits_.begin(), hits_.end(), Better);
      hits_.back() = offered;
      std::push_heap(hits_.begin(), hits_.end(), Better);
    }
  }

  // Best first. The object is empty afterwards.
  std::vector<BestItem> Take() {
    std::sort(hits_.begin(), hits_.end(), Better);
    return std::exchange(hits_, {});
  }

 private:
  static bool Better(const BestItem& a, const BestItem& b) {
    return a.score != b.score ? a.score > b.score : a.item > b.item;
  }

  size_t limit_;
  double floor_ = 0;
  std::vector<BestItem> hits_;  // a heap with the worst at the front
};

}  // namespace kernelsmith::memory
