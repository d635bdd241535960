#include "memory/retrieval/vector/vector_segment.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "memory/retrieval/vector/code_scan.h"

namespace kernelsmith::memory {
namespace {

constexpr size_t kScanItems = 20'000;  // fewer allowed items are scanned: it costs no more than the codes
constexpr size_t kScanRows = 100'000;  // codes of so many rows are read at least,
constexpr double kScanShare = 0.45;    // and of this share; of more if a filter leaves few of the nearest
constexpr double kMostScanned = 0.8;
constexpr size_t kExactRows = 1000;    // the best by estimate that are scored exactly: so many at least,
constexpr double kRowsPerExact = 200;  // one of so many rows, by the square root fewer of fewer allowed items
constexpr size_t kExactRowsPerHit = 6;
constexpr size_t kMarkedShare = 3;  // if at most one item of so many is allowed, the rows of those are marked first
constexpr size_t kAhead = 8;        // rows under way to the cache

}  // namespace

absl::StatusOr<std::shared_ptr<const VectorSegment>> VectorSegment::Open(const std::string& path,
                                                                         absl::string_view embedder_id,
                                                                         int dimensions) {
  try {
    auto content = ReadSegmentFile(path, embedder_id, dimensions);
    if (!content.ok()) return content.status();
    return std::shared_ptr<const VectorSegment>(new VectorSegment(*std::move(content)));
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError(absl::StrCat(path, ": not enough memory for this vector segment"));
  }
}

VectorSegment::VectorSegment(SegmentContent content)
    : content_(std::move(content)), item_begin_(content_.rows.size() + 1) {
  if (!content_.codes.empty()) blocks_ = BlockBegins(content_.codes.list_begin);
  for (const uint32_t row : content_.row_of) {
    if (row != kNoRow) ++item_begin_[row + 1];
  }
  for (size_t row = 1; row < item_begin_.size(); ++row) item_begin_[row] += item_begin_[row - 1];
  items_.resize(item_begin_.back());
  std::vector<uint32_t> next(item_begin_.begin(), item_begin_.end() - 1);
  for (uint32_t i = 0; i < content_.row_of.size(); ++i) {
    if (content_.row_of[i] != kNoRow) items_[next[content_.row_of[i]]++] = first() + i;
  }
}

size_t VectorSegment::memory_bytes() const {
  return (content_.row_of.capacity() + blocks_.capacity() + item_begin_.capacity() + items_.capacity()) *
             sizeof(uint32_t) +
         content_.rows.memory_bytes() + content_.codes.memory_bytes();
}

std::vector<uint64_t> VectorSegment::AllowedRows(const Roaring& allowed) const {
  std::vector<uint64_t> marked(rows() / 64 + 1);
  roaring_uint32_iterator_t at;
  roaring_init_iterator(&allowed.roaring, &at);
  roaring_move_uint32_iterator_equalorlarger(&at, first());
  std::array<uint32_t, 256> items;
  while (const uint32_t count = roaring_read_uint32_iterator(&at, items.data(), items.size())) {
    for (uint32_t i = 0; i < count; ++i) {
      if (items[i] >= last()) return marked;
      const uint32_t row = content_.row_of[items[i] - first()];
      if (row != kNoRow) marked[row / 64] |= uint64_t{1} << row % 64;
    }
  }
  return marked;
}

bool VectorSegment::IsAllowed(uint32_t row, const Roaring& allowed) const {
  return std::any_of(items_.begin() + item_begin_[row], items_.begin() + item_begin_[row + 1],
                     [&](uint32_t item) { return allowed.contains(item); });
}

void VectorSegment::OfferRow(uint32_t row, float score, const Roaring* allowed, TopHits& hits) const {
  for (uint32_t i = item_begin_[row + 1]; i > item_begin_[row] && hits.Admits(score); --i) {
    const uint32_t item = items_[i - 1];
    if (allowed != nullptr && !allowed->contains(item)) continue;
    if (!hits.Offer(score, item)) return;  // nor is an earlier item of the row let in
  }
}

void VectorSegment::ScanItems(const QuantisedVector& query, const Roaring& allowed, TopHits& hits) const {
  std::vector<uint32_t> items;
  auto at = allowed.begin();
  for (at.equalorlarger(first()); at != allowed.end() && *at < last(); ++at) {
    if (content_.row_of[*at - first()] != kNoRow) items.push_back(*at);
  }
  for (size_t i = 0; i < items.size(); ++i) {
    if (i + kAhead < items.size()) content_.rows.Prefetch(content_.row_of[items[i + kAhead] - first()]);
    const float score = content_.rows.Score(query.row(), content_.row_of[items[i] - first()]);
    if (hits.Admits(score)) hits.Offer(score, items[i]);
  }
}

void VectorSegment::SearchExact(const QuantisedVector& query, const Roaring* allowed, TopHits& hits) const {
  if (allowed != nullptr) return ScanItems(query, *allowed, hits);
  for (uint32_t row = 0; row < rows(); ++row) {
    const float score = content_.rows.Score(query.row(), row);
    if (hits.Admits(score)) OfferRow(row, score, nullptr, hits);
  }
}

void VectorSegment::Search(const QuantisedVector& query, const Roaring* allowed, size_t limit, TopHits& hits) const {
  size_t items = vectors();
  if (allowed != nullptr) {
    items = std::min<size_t>(items, roaring_bitmap_range_cardinality(&allowed->roaring, first(), last()));
  }
  if (!has_codes() || items <= kScanItems) return SearchExact(query, allowed, hits);
  const double root = std::sqrt(static_cast<double>(items) / static_cast<double>(vectors()));
  const auto all_rows = static_cast<double>(rows());
  const auto scan = std::max(kScanRows, static_cast<size_t>(std::min(kScanShare / root, kMostScanned) * all_rows));
  const size_t keep =
      std::max({kExactRows, static_cast<size_t>(root * all_rows / kRowsPerExact), kExactRowsPerHit * limit});
  std::vector<uint64_t> marked;
  if (allowed != nullptr && items * kMarkedShare <= vectors()) marked = AllowedRows(*allowed);
  const std::vector<uint32_t> likely =
      LikelyRows(content_.codes, blocks_, query, dimensions(), scan, keep, [&](uint32_t row) {
        if (!marked.empty()) return (marked[row / 64] >> row % 64 & 1) != 0;
        return allowed == nullptr || IsAllowed(row, *allowed);
      });
  TopHits found(limit);
  for (size_t i = 0; i < likely.size(); ++i) {
    if (i + kAhead < likely.size()) content_.rows.Prefetch(likely[i + kAhead]);
    const float score = content_.rows.Score(query.row(), likely[i]);
    if (found.Admits(score)) OfferRow(likely[i], score, allowed, found);
  }
  if (found.size() < std::min(limit, items)) return SearchExact(query, allowed, hits);
  for (const ScoredItem& hit : found.Take()) hits.Offer(hit.score, hit.item);
}

}  // namespace kernelsmith::memory
