#include "memory/retrieval/lexical/list_window.h"

#include <algorithm>

#include "memory/retrieval/lexical/lower_bound.h"

namespace kernelsmith::memory {
namespace {

// The first of values[0, end) that is not below `least`; looks near the end first, where it is when windows fall.
template <typename T>
uint32_t LowerBoundFromEnd(const T* values, uint32_t end, uint32_t least) {
  uint32_t step = 8;
  uint32_t begin = end > step ? end - step : 0;
  while (begin > 0 && values[begin] >= least) {
    end = begin;
    step *= 2;
    begin = end > step ? end - step : 0;
  }
  return begin + LowerBound(values + begin, end - begin, least);
}

}  // namespace

ListWindow::ListWindow(const PostingList& list, const TermWeight& weight, const LengthNorms& norms,
                       const ItemLengths& lengths)
    : list_(list), weight_(weight), norms_(norms), lengths_(lengths), entries_left_(list.chunks.size()) {
  if (list.packed.empty()) return;
  form_ = Form::kPacked;
  packed_ = list.packed.data();
  begin_ = static_cast<uint32_t>(list.packed.size());
}

double ListWindow::PackedBound() const {
  ImpactBound bound;
  for (const uint32_t word : list_.packed) {
    const uint32_t count = word & 0xff;
    bound.Include(count != kLongPackedCount ? count : LongCount(word >> 8), lengths_.At(word >> 8));
  }
  return bound.Part(weight_, norms_);
}

double ListWindow::MoveToChunk(uint32_t begin) {
  if (form_ == Form::kPacked) {
    if (begin_ == 0 || list_.packed.front() >> 8 >= begin / kItemsOfChunk * kItemsOfChunk + kItemsOfChunk) return 0;
    return weight_.Limit();
  }
  const uint32_t chunk = begin / kItemsOfChunk;
  while (entries_left_ > 0 && list_.chunks[entries_left_ - 1].chunk > chunk) --entries_left_;
  form_ = Form::kNone;
  entry_ = nullptr;
  if (entries_left_ == 0 || list_.chunks[entries_left_ - 1].chunk != chunk) return 0;
  entry_ = &list_.chunks[entries_left_ - 1];
  if (entry_->form == ChunkForm::kDense) {
    form_ = Form::kDense;
  } else {
    const SparseChunk sparse(list_.base + entry_->offset, entry_->postings);
    form_ = Form::kSparse;
    items_ = sparse.items;
    counts_ = sparse.counts;
    begin_ = entry_->postings;
  }
  return entry_->bound.Part(weight_, norms_);
}

// The greatest bound of the blocks that the window's postings lie in.
double ListWindow::BoundOfBlocks(const ImpactBound* bounds) const {
  double greatest = 0;
  for (uint32_t block = begin_ / kPostingsOfBlock; block <= (end_ - 1) / kPostingsOfBlock; ++block) {
    greatest = std::max(greatest, bounds[block].Part(weight_, norms_));
  }
  return greatest;
}

double ListWindow::MoveTo(uint32_t begin) {
  window_ = begin;
  switch (form_) {
    case Form::kNone:
      return 0;
    case Form::kPacked:
      end_ = begin_;
      if (end_ > 0 && packed_[end_ - 1] >> 8 >= begin + kItemsOfWindow) {
        end_ = LowerBoundFromEnd(packed_, end_, (begin + kItemsOfWindow) << 8);
      }
      begin_ = LowerBoundFromEnd(packed_, end_, begin << 8);
      if (begin_ == end_) return 0;
      if (!list_.bounds.empty()) return BoundOfBlocks(list_.bounds.data());
      if (packed_bound_ < 0) packed_bound_ = PackedBound();
      return packed_bound_;
    case Form::kSparse: {
      const uint32_t low = begin % kItemsOfChunk;
      end_ = begin_;
      if (end_ > 0 && items_[end_ - 1] >= low + kItemsOfWindow) {
        end_ = LowerBoundFromEnd(items_, end_, low + kItemsOfWindow);
      }
      begin_ = LowerBoundFromEnd(items_, end_, low);
      if (begin_ == end_) return 0;
      return BoundOfBlocks(SparseChunk(list_.base + entry_->offset, entry_->postings).bounds);
    }
    case Form::kDense: {
      const DenseChunk dense(list_.base + entry_->offset);
      const uint32_t low = begin % kItemsOfChunk;
      counts_ = dense.counts + low / 2;
      begin_ = 0;
      end_ = std::min(kItemsOfWindow, static_cast<uint32_t>(lengths_.size()) - begin);
      return dense.bounds[low / kItemsOfWindow].Part(weight_, norms_);
    }
  }
  return 0;
}

uint32_t ListWindow::SearchCount(uint32_t offset) const {
  if (form_ == Form::kPacked) {
    const uint32_t item = window_ + offset;
    const uint32_t place = begin_ + LowerBound(packed_ + begin_, end_ - begin_, item << 8);
    if (place == end_ || packed_[place] >> 8 != item) return 0;
    const uint32_t count = packed_[place] & 0xff;
    return count != kLongPackedCount ? count : LongCount(item);
  }
  if (form_ == Form::kNone) return 0;
  const uint32_t low = window_ % kItemsOfChunk + offset;
  const uint32_t place = begin_ + LowerBound(items_ + begin_, end_ - begin_, low);
  if (place == end_ || items_[place] != low) return 0;
  const uint32_t count = NibbleAt(counts_, place);
  return count != kLongChunkCount ? count : LongCount(window_ + offset);
}

}  // namespace kernelsmith::memory
