#include "memory/retrieval/lexical/delta_part.h"

#include <algorithm>
#include <numeric>

namespace kernelsmith::memory {

// Terms in byte order by a sorted array of their numbers.
class DeltaPart::SortedTerms : public TermCursor {
 public:
  explicit SortedTerms(const DeltaPart& part) : part_(part), order_(part.terms_.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) { return part.terms_[a] < part.terms_[b]; });
  }

  bool valid() const override { return next_ < order_.size(); }
  absl::string_view term() const override { return part_.terms_[order_[next_]]; }
  PostingList list() const override { return part_.ListOf(order_[next_]); }
  void Next() override { ++next_; }

 private:
  const DeltaPart& part_;
  std::vector<uint32_t> order_;
  size_t next_ = 0;
};

void DeltaPart::Add(absl::string_view text) {
  Tokenize(text, buffer_);
  const auto item = static_cast<uint32_t>(lengths_.size());
  const auto length = static_cast<uint32_t>(buffer_.terms.size());
  added_.clear();
  for (const absl::string_view term : buffer_.terms) AddTerm(term, item);
  lengths_.push_back(static_cast<uint16_t>(std::min<uint32_t>(length, ItemLengths::kLong)));
  if (length >= ItemLengths::kLong) long_lengths_.push_back({item, length});
  total_length_ += length;
  for (const uint32_t number : added_) UpdateBounds(entries_[number], number);
}

void DeltaPart::AddTerm(absl::string_view term, uint32_t item) {
  auto place = numbers_.find(term);
  if (place == numbers_.end()) {
    const absl::string_view kept = arena_.Keep(term);
    place = numbers_.emplace(kept, static_cast<uint32_t>(terms_.size())).first;
    terms_.push_back(kept);
    entries_.emplace_back();
  }
  const uint32_t number = place->second;
  Entry& entry = entries_[number];
  if (entry.packed.empty() || entry.packed.back() >> 8 != item) {
    const size_t before = entry.packed.capacity();
    entry.packed.push_back(item << 8 | 1);
    if (entry.packed.capacity() != before) list_bytes_ += static_cast<int64_t>(entry.packed.capacity() - before) * 4;
    added_.push_back(number);
  } else if ((entry.packed.back() & 0xff) < kLongPackedCount - 1) {
    ++entry.packed.back();
  } else if ((entry.packed.back() & 0xff) == kLongPackedCount - 1) {
    ++entry.packed.back();
    long_counts_[number].push_back({item, kLongPackedCount});
  } else {
    ++long_counts_[number].back().number;
  }
}

Posting DeltaPart::PostingAt(uint32_t number, uint32_t i) const {
  const uint32_t word = entries_[number].packed[i];
  const uint32_t count = word & 0xff;
  return {word >> 8, count == kLongPackedCount ? FindLongNumber(long_counts_.at(number), word >> 8) : count};
}

void DeltaPart::UpdateBounds(Entry& entry, uint32_t number) {
  const auto postings = static_cast<uint32_t>(entry.packed.size());
  if (postings <= kPostingsOfBlock) return;
  const ItemLengths lengths = this->lengths();
  const auto include = [&](uint32_t i) {
    const Posting posting = PostingAt(number, i);
    if (i / kPostingsOfBlock >= entry.bounds.size()) entry.bounds.emplace_back();
    entry.bounds.back().Include(posting.count, lengths.At(posting.item));
  };
  if (entry.bounds.empty()) {
    for (uint32_t i = 0; i + 1 < postings; ++i) include(i);
  }
  include(postings - 1);
}

PostingList DeltaPart::ListOf(uint32_t number) const {
  const Entry& entry = entries_[number];
  PostingList list;
  list.postings = static_cast<uint32_t>(entry.packed.size());
  list.packed = entry.packed;
  list.bounds = entry.bounds;
  if (const auto place = long_counts_.find(number); place != long_counts_.end()) list.long_counts = place->second;
  return list;
}

PostingList DeltaPart::Find(absl::string_view term) const {
  const auto place = numbers_.find(term);
  return place == numbers_.end() ? PostingList() : ListOf(place->second);
}

std::unique_ptr<TermCursor> DeltaPart::Terms() const { return std::make_unique<SortedTerms>(*this); }

int64_t DeltaPart::resident_bytes() const {
  constexpr auto kTableEntry = static_cast<int64_t>(sizeof(absl::string_view) + sizeof(uint32_t) + 5);
  return arena_.bytes() + list_bytes_ + static_cast<int64_t>(numbers_.capacity()) * kTableEntry +
         static_cast<int64_t>(terms_.capacity() * sizeof(absl::string_view) + entries_.capacity() * sizeof(Entry) +
                              lengths_.capacity() * sizeof(uint16_t));
}

}  // namespace kernelsmith::memory
