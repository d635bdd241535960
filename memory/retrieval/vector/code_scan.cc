#include "memory/retrieval/vector/code_scan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "memory/retrieval/vector/aligned_bytes.h"
#include "memory/retrieval/vector/code_sums.h"

namespace kernelsmith::memory {
namespace {

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

// The best `keep` of what is offered.
class Best {
 public:
  explicit Best(size_t keep) : keep_(keep) { found_.reserve(2 * keep); }

  // Only greater sums can get in.
  int threshold() const { return threshold_; }

  void Offer(int sum, uint32_t row) {
    found_.push_back(static_cast<uint64_t>(sum) << 32 | row);
    if (found_.size() == 2 * keep_) Cut();
  }

  std::vector<uint32_t> Take() {
    if (found_.size() > keep_) Cut();
    std::vector<uint32_t> rows;
    rows.reserve(found_.size());
    for (const uint64_t found : found_) rows.push_back(static_cast<uint32_t>(found));
    std::sort(rows.begin(), rows.end());
    return rows;
  }

 private:
  void Cut() {
    const auto last = found_.begin() + static_cast<ptrdiff_t>(keep_ - 1);
    std::nth_element(found_.begin(), last, found_.end(), std::greater<>());
    threshold_ = static_cast<int>(*last >> 32);
    found_.resize(keep_);
  }

  size_t keep_;
  int threshold_ = -1;
  std::vector<uint64_t> found_;  // sum, row
};

}  // namespace

std::vector<uint32_t> LikelyRows(const ScanCodes& codes, const std::vector<uint32_t>& blocks,
                                 const QuantisedVector& query, int dimensions, size_t scan, size_t keep,
                                 absl::FunctionRef<bool(uint32_t row)> admits) {
  std::vector<float> projected;
  Project(codes.directions, dimensions, query.row(), query.inverse_length(), projected);
  const AlignedBytes table = ContributionTable(codes, projected);
  const auto* const entries = reinterpret_cast<const uint8_t*>(table.data());
  Best best(keep);
  alignas(64) uint16_t sums[kBlockRows];
  size_t scanned = 0;
  for (const uint32_t list : NearestLists(codes, query)) {
    if (scanned >= scan) break;
    const uint32_t begin = codes.list_begin[list];
    const uint32_t rows = codes.list_begin[list + 1] - begin;
    scanned += rows;
    const int8_t* block = codes.codes.data() + blocks[list] * codes.block_bytes();
    for (uint32_t at = 0; at < rows; at += kBlockRows, block += codes.block_bytes()) {
      SumCodes(reinterpret_cast<const uint8_t*>(block), entries, codes.groups, sums);
      int16_t greatest = 0;  // signed, which the oldest instruction set can compare too; sums stay below 2^15
      for (const uint16_t sum : sums) greatest = std::max(greatest, static_cast<int16_t>(sum));
      if (greatest <= best.threshold()) continue;
      for (uint32_t r = 0; r < std::min<uint32_t>(kBlockRows, rows - at); ++r) {
        if (sums[r] > best.threshold() && admits(begin + at + r)) best.Offer(sums[r], begin + at + r);
      }
    }
  }
  return best.Take();
}

}  // namespace kernelsmith::memory
