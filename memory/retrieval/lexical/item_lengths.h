// Terms per item of a piece: 16 bits each, and a short table for the few items that need more.
#pragma once

#include <algorithm>
#include <cstdint>

#include "absl/types/span.h"

namespace kernelsmith::memory {

// An exact number of an item that does not fit where the usual ones are kept. The same bytes in memory and in files.
struct LongNumber {
  uint32_t item;  // within the piece
  uint32_t number;
};

// The number of `item` in a table sorted by item; 0 if it has none.
inline uint32_t FindLongNumber(absl::Span<const LongNumber> table, uint32_t item) {
  const auto* const place =
      std::lower_bound(table.begin(), table.end(), item, [](const LongNumber& a, uint32_t b) { return a.item < b; });
  return place != table.end() && place->item == item ? place->number : 0;
}

class ItemLengths {
 public:
  static constexpr uint16_t kLong = 0xffff;  // stands for a length in `long_lengths`

  ItemLengths() = default;
  ItemLengths(absl::Span<const uint16_t> lengths, absl::Span<const LongNumber> long_lengths)
      : lengths_(lengths), long_lengths_(long_lengths) {}

  size_t size() const { return lengths_.size(); }

  // REQUIRES: item < size()
  uint32_t At(uint32_t item) const {
    const uint32_t length = lengths_[item];
    return length != kLong ? length : FindLongNumber(long_lengths_, item);
  }

  absl::Span<const uint16_t> lengths() const { return lengths_; }
  absl::Span<const LongNumber> long_lengths() const { return long_lengths_; }

 private:
  absl::Span<const uint16_t> lengths_;
  absl::Span<const LongNumber> long_lengths_;
};

}  // namespace kernelsmith::memory
