#include "memory/retrieval/vector/code_scan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "memory/retrieval/vector/aligned_bytes.h"
#include "memory/retrieval/vector/code_sums.h"

namespace kernelsmith::memory {
namespace {

constexpr size_t kBlocksAhead = 2;

// A wish: the address need not be anyone's.
void Prefetch(const int8_t* bytes, size_t count) {
  for (size_t at = 0; at < count; at += kRowAlignment) __builtin_prefetch(bytes + at);
}

// What each prototype of each group contributes to the score, as 0 to 127 of the widest group's range; the least of a
// group, which is the same for every row, is left out.
AlignedBytes ContributionTable(const ScanCodes& codes, const std::vector<float>& query) {
  std::vector<float> exact(codes.groups * kPrototypes);
  std::vector<float> least(codes.groups);
  float widest = 0;
  for (uint32_t group = 0; group < codes.groups; ++group) {
    float* const entries = &exact[group * kPrototypes];
    const uint32_t first = FirstDirection(codes.groups, group);
    for (uint32_t d = first; d < first + DirectionsIn(codes.groups, group); ++d) {
      for (size_t p = 0; p < kPrototypes; ++p) entries[p] += query[d] * codes.prototypes[d * kPrototypes + p];
    }
    const auto [low, high] = std::minmax_element(entries, entries + kPrototypes);
    least[group] = *low;
    widest = std::max(widest, *high - *low);
  }
  AlignedBytes table(codes.groups * kBlockRows);
  if (widest == 0) return table;  // the query is perpendicular to all that tells rows apart
  for (size_t i = 0; i < exact.size(); ++i) {
    const float part = (exact[i] - least[i / kPrototypes]) / widest;
    const auto contribution = static_cast<int8_t>(std::lround(part * static_cast<float>(kGreatestContribution)));
    for (size_t copy = 0; copy < kBlockRows; copy += kPrototypes) {
      table.data()[i / kPrototypes * kBlockRows + copy + i % kPrototypes] = contribution;
    }
  }
  return table;
}

// Lists by nearness, the nearest first.
std::vector<uint32_t> NearestLists(const ScanCodes& codes, const QuantisedVector& query) {
  std::vector<std::pair<float, uint32_t>> scored;
  scored.reserve(codes.lists());
  for (uint32_t list = 0; list < codes.lists(); ++list)
    scored.emplace_back(-codes.centroids.Score(query.row(), list), list);
  std::sort(scored.begin(), scored.end());
  std::vector<uint32_t> out;
  out.reserve(scored.size());
  for (const auto& [score, list] : scored) out.push_back(list);
  return out;
}

// The best `keep` of what is offered. Sums are small numbers, so that counting them tells the threshold.
class Best {
 public:
  Best(size_t keep, size_t greatest_sum) : keep_(keep), counts_(greatest_sum + 1) {}

  // Only greater sums can get in.
  int threshold() const { return threshold_; }

  void Offer(int sum, uint32_t row) {
    found_.push_back({sum, row});
    ++counts_[static_cast<size_t>(sum)];
    ++above_;
    // While there are enough without those just above the threshold, it rises.
    while (above_ - counts_[static_cast<size_t>(threshold_ + 1)] >= keep_) {
      above_ -= counts_[static_cast<size_t>(++threshold_)];
    }
  }

  std::vector<uint32_t> Take() {
    // Those above the threshold are `keep` or more; of those just above it, the last that came are too many.
    size_t excess = above_ > keep_ ? above_ - keep_ : 0;
    std::vector<uint32_t> rows;
    rows.reserve(keep_);
    for (size_t i = found_.size(); i-- > 0;) {
      if (found_[i].sum <= threshold_) continue;
      if (found_[i].sum == threshold_ + 1 && excess > 0) {
        --excess;
        continue;
      }
      rows.push_back(found_[i].row);
    }
    std::sort(rows.begin(), rows.end());
    return rows;
  }

 private:
  struct Found {
    int sum;
    uint32_t row;
  };

  size_t keep_;
  size_t above_ = 0;  // offers with a greater sum than the threshold
  int threshold_ = -1;
  std::vector<uint32_t> counts_;  // of each sum
  std::vector<Found> found_;
};

}  // namespace

std::vector<uint32_t> LikelyRows(const ScanCodes& codes, const std::vector<uint32_t>& blocks,
                                 const QuantisedVector& query, int dimensions, size_t scan, size_t keep,
                                 absl::FunctionRef<bool(uint32_t row)> admits) {
  std::vector<float> projected;
  Project(codes.directions, dimensions, query.row(), query.inverse_length(), projected);
  const AlignedBytes table = ContributionTable(codes, projected);
  const auto* const entries = reinterpret_cast<const uint8_t*>(table.data());
  Best best(keep, codes.groups * static_cast<size_t>(kGreatestContribution));
  alignas(64) uint16_t sums[kBlockRows];
  // Lists lie anywhere in memory: while one is read, the next is fetched.
  const std::vector<uint32_t> lists = NearestLists(codes, query);
  const auto first_block = [&](size_t i) { return codes.codes.data() + blocks[lists[i]] * codes.block_bytes(); };
  size_t scanned = 0;
  for (size_t i = 0; i < lists.size() && scanned < scan; ++i) {
    const uint32_t begin = codes.list_begin[lists[i]];
    const uint32_t rows = codes.list_begin[lists[i] + 1] - begin;
    scanned += rows;
    const int8_t* block = first_block(i);
    const int8_t* const end = block + BlocksFor(rows) * codes.block_bytes();
    const int8_t* const next = i + 1 < lists.size() ? first_block(i + 1) : end;
    for (uint32_t at = 0; at < rows; at += kBlockRows, block += codes.block_bytes()) {
      const int8_t* const ahead = block + kBlocksAhead * codes.block_bytes();
      Prefetch(ahead < end ? ahead : next + (ahead - end), codes.block_bytes());
      uint64_t greater =
          SumCodes(reinterpret_cast<const uint8_t*>(block), entries, codes.groups, best.threshold(), sums);
      if (rows - at < kBlockRows) greater &= (uint64_t{1} << (rows - at)) - 1;  // what pads the list
      for (; greater != 0; greater &= greater - 1) {
        const auto r = static_cast<uint32_t>(std::countr_zero(greater));
        if (sums[r] > best.threshold() && admits(begin + at + r)) best.Offer(sums[r], begin + at + r);
      }
    }
  }
  return best.Take();
}

}  // namespace kernelsmith::memory
