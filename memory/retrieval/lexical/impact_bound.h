// A pair (count, length) that no posting of a group beats, whatever idf and average length will be:
//
//   part(count, length) <= part(bound) for every posting, because part falls with 1/count and with length/count alone:
//   part = idf * (k1 + 1) / (1 + k1 (1 - b) / count + k1 b (length / count) / average)
//
// So a bound keeps the greatest count, and the length that gives it the least length/count of the group. That is
// tighter than greatest count with shortest length. The same four bytes in memory and in files.
#pragma once

#include <algorithm>
#include <cstdint>

#include "memory/retrieval/lexical/bm25.h"

namespace kernelsmith::memory {

struct ImpactBound {
  static constexpr uint16_t kUnlimited = 0xffff;  // as count: no limit below idf * (k1 + 1)

  uint16_t count = 0;  // 0: an empty group
  uint16_t length = 0;

  // REQUIRES: other_count > 0
  void Include(uint32_t other_count, uint32_t other_length) {
    const uint64_t most = std::max<uint64_t>(count, std::min<uint32_t>(other_count, kUnlimited));
    uint64_t least = uint64_t{other_length} * most / other_count;
    if (count != 0) least = std::min(least, uint64_t{length} * most / count);
    count = static_cast<uint16_t>(most);
    length = static_cast<uint16_t>(std::min<uint64_t>(least, 0xffff));
  }

  void Include(const ImpactBound& other) {
    if (other.count != 0) Include(other.count, other.length);
  }

  // The greatest part of the group, a little above because parts are rounded.
  double Part(const TermWeight& weight, const LengthNorms& norms) const {
    if (count == 0) return 0;
    constexpr double kSlack = 1 + 1e-9;
    return kSlack * (count == kUnlimited ? weight.Limit() : weight.Part(count, norms.Of(length)));
  }
};

static_assert(sizeof(ImpactBound) == 4);

}  // namespace kernelsmith::memory
