// One term's postings seen through windows of 4096 items that a search visits from the last to the first.
//
//   ListWindow window(list, weight, norms, lengths);
//   const double bound = window.MoveTo(8192);            // no part in items 8192..12287 exceeds it
//   window.ForEach([&](uint32_t offset, uint32_t count) { ... });
#pragma once

#include <cstdint>
#include <cstring>

#include "memory/retrieval/lexical/bm25.h"
#include "memory/retrieval/lexical/posting_list.h"

namespace kernelsmith::memory {

class ListWindow {
 public:
  // All must outlive the object.
  ListWindow(const PostingList& list, const TermWeight& weight, const LengthNorms& norms, const ItemLengths& lengths);

  // The bound of the chunk with the window that begins at `begin`. REQUIRES: falling begins.
  double MoveToChunk(uint32_t begin);

  // To the window that begins at `begin`, in the chunk of the last MoveToChunk. Returns a bound of its parts, 0 if it
  // holds no posting. REQUIRES: falling begins.
  double MoveTo(uint32_t begin);

  // At least the number of postings in the window.
  uint32_t postings() const { return form_ == Form::kDense ? kItemsOfWindow : end_ - begin_; }
  bool is_dense() const { return form_ == Form::kDense; }

  // Calls visit(offset, count) for every posting; offsets count from the window's begin.
  template <typename Visit>
  void ForEach(Visit visit) const {
    switch (form_) {
      case Form::kNone:
        break;
      case Form::kPacked:
        for (uint32_t i = begin_; i < end_; ++i) {
          const uint32_t word = packed_[i];
          const uint32_t count = word & 0xff;
          visit((word >> 8) - window_, count != kLongPackedCount ? count : LongCount(word >> 8));
        }
        break;
      case Form::kSparse:
        for (uint32_t i = begin_; i < end_; ++i) {
          const uint32_t offset = items_[i] % kItemsOfWindow;
          const uint32_t count = NibbleAt(counts_, i);
          visit(offset, count != kLongChunkCount ? count : LongCount(window_ + offset));
        }
        break;
      case Form::kDense:
        ForEachDense(visit);
        break;
    }
  }

  // The count of the item at `offset`, 0 if it does not hold the term.
  uint32_t CountAt(uint32_t offset) const {
    if (form_ == Form::kDense) {
      const uint32_t count = NibbleAt(counts_, offset);
      return count != kLongChunkCount ? count : LongCount(window_ + offset);
    }
    return SearchCount(offset);
  }

  double Part(uint32_t count, double norm) const { return weight_.Part(count, norm); }

 private:
  enum class Form { kNone, kPacked, kSparse, kDense };

  template <typename Visit>
  void ForEachDense(Visit visit) const {
    constexpr uint32_t kItemsOfWord = 16;
    for (uint32_t i = 0; i < end_; i += kItemsOfWord) {
      uint64_t word = 0;
      std::memcpy(&word, counts_ + i / 2, std::min<size_t>(sizeof(word), (end_ - i + 1) / 2));
      while (word != 0) {
        const auto shift = static_cast<uint32_t>(__builtin_ctzll(word)) & ~3u;
        const auto count = static_cast<uint32_t>(word >> shift & 0xf);
        const uint32_t offset = i + shift / 4;
        visit(offset, count != kLongChunkCount ? count : LongCount(window_ + offset));
        word &= ~(uint64_t{0xf} << shift);
      }
    }
  }

  uint32_t LongCount(uint32_t item) const { return FindLongNumber(list_.long_counts, item); }
  uint32_t SearchCount(uint32_t offset) const;
  double BoundOfBlocks(const ImpactBound* bounds) const;
  double PackedBound() const;

  const PostingList& list_;
  const TermWeight& weight_;
  const LengthNorms& norms_;
  const ItemLengths& lengths_;

  Form form_ = Form::kNone;
  uint32_t window_ = 0;  // begin of the window
  uint32_t begin_ = 0;   // postings of the window in the packed list or sparse chunk; dense: 0 and its items
  uint32_t end_ = 0;
  const uint32_t* packed_ = nullptr;
  const uint16_t* items_ = nullptr;  // of the sparse chunk
  const uint8_t* counts_ = nullptr;  // of the sparse chunk; of the window in a dense one

  const ChunkEntry* entry_ = nullptr;  // of the chunk; null if the list has no posting there
  size_t entries_left_ = 0;            // entries up to the chunk's, in the directory
  double packed_bound_ = -1;           // of a list of one block; negative: not computed
};

}  // namespace kernelsmith::memory
