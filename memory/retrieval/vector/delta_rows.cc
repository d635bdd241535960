#include "memory/retrieval/vector/delta_rows.h"

#include <algorithm>
#include <utility>

namespace kernelsmith::memory {

size_t DeltaRows::memory_bytes() const {
  size_t bytes = items_.capacity() * sizeof(uint32_t);
  for (const RowTable& block : blocks_) bytes += block.memory_bytes();
  return bytes;
}

void DeltaRows::Add(uint32_t item, const QuantisedVector& vector) {
  if (items_.size() % kBlock == 0) blocks_.emplace_back(stride_, kBlock);
  items_.push_back(item);
  blocks_.back().Append(vector.row(), vector.inverse_length());
}

void DeltaRows::Scan(const QuantisedVector& query, const Roaring* allowed, TopHits& hits) const {
  for (size_t b = 0; b < blocks_.size(); ++b) {
    const RowTable& block = blocks_[b];
    for (size_t i = 0; i < block.size(); ++i) {
      const float score = block.Score(query.row(), i);
      if (!hits.Admits(score)) continue;
      const uint32_t item = items_[b * kBlock + i];
      if (allowed == nullptr || allowed->contains(item)) hits.Offer(score, item);
    }
  }
}

void DeltaRows::CopyTo(uint32_t first, uint32_t last, std::vector<uint32_t>& items, RowTable& rows) const {
  const auto in_range = [&](uint32_t item) { return item >= first && item < last; };
  rows = RowTable(stride_, static_cast<size_t>(std::count_if(items_.begin(), items_.end(), in_range)));
  items.reserve(rows.capacity());
  for (size_t i = 0; i < items_.size(); ++i) {
    if (!in_range(items_[i])) continue;
    items.push_back(items_[i]);
    rows.Append(RowOf(i), blocks_[i / kBlock].inverse_length(i % kBlock));
  }
}

void DeltaRows::Remove(const std::function<bool(uint32_t item)>& covered) {
  DeltaRows kept(stride_);
  for (size_t i = 0; i < items_.size(); ++i) {
    if (covered(items_[i])) continue;
    if (kept.items_.size() % kBlock == 0) kept.blocks_.emplace_back(stride_, kBlock);
    kept.items_.push_back(items_[i]);
    kept.blocks_.back().Append(RowOf(i), blocks_[i / kBlock].inverse_length(i % kBlock));
  }
  *this = std::move(kept);
}

}  // namespace kernelsmith::memory
