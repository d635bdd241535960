// Which items the next segment of a search index covers: what is not sealed yet, and the segments before it that are
// not much larger, so that there are few segments and each item is sealed again only a few times.
//
//   PlanSeal({1'000'000, 20'000, 20'000}, 20'000)   // {.first_segment = 1, .items = 60'000}
//
// Tiered merging as of LSM trees: a segment joins if it has less than three times the items gathered so far. With n
// items sealed in steps of s there are at most about log3(n/s) + 1 segments, and each item is sealed as often.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kernelsmith::memory {

struct SealPlan {
  size_t first_segment = 0;  // this and all after it are replaced; their number if none is
  int64_t items = 0;         // of the new segment; 0: nothing to do
};

// `segments` are the items of each in order, `unsealed` those behind them. Nothing unsealed: nothing to do.
SealPlan PlanSeal(const std::vector<int64_t>& segments, int64_t unsealed);

// One segment for everything; nothing to do if it is so already.
SealPlan PlanSealAll(const std::vector<int64_t>& segments, int64_t unsealed);

}  // namespace kernelsmith::memory
