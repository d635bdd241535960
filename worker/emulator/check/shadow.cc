#include "worker/emulator/check/shadow.h"

namespace kernelsmith::emulator {

bool History::SameTouch(const Stamp& a, const Stamp& b) const {
  if (a.epoch != b.epoch) return false;
  if (a.epoch == 0) return true;
  if (a.core != b.core || a.pipe != b.pipe || a.atomic != b.atomic) return false;
  if (a.record == b.record) return true;
  const Record& left = *trace_.At(a.record).record;
  const Record& right = *trace_.At(b.record).record;
  return left.line == right.line && left.operation == right.operation && left.file == right.file;
}

uint32_t History::New() {
  if (free_.empty()) {
    lists_.emplace_back();
    return static_cast<uint32_t>(lists_.size() - 1);
  }
  const uint32_t list = free_.back();
  free_.pop_back();
  return list;
}

uint32_t History::Copy(uint32_t list) {
  if (list == 0) return 0;
  const uint32_t copy = New();
  lists_[copy] = lists_[list];
  return copy;
}

void History::Free(uint32_t list) {
  if (list == 0) return;
  lists_[list].clear();
  free_.push_back(list);
}

size_t Page::Find(uint32_t at) {
  // Programs walk through memory: the segment of the last time or its successor is often right.
  if (last_ < segments_.size() && segments_[last_].begin <= at) {
    if (at < EndOf(last_)) return last_;
    if (last_ + 1 < segments_.size() && at < EndOf(last_ + 1)) return ++last_;
  }
  const auto after = std::upper_bound(segments_.begin(), segments_.end(), at,
                                      [](uint32_t value, const Segment& segment) { return value < segment.begin; });
  return last_ = static_cast<size_t>(after - segments_.begin()) - 1;
}

void Page::Apply(Segment& segment, const Stamp& now, bool write, History& history) {
  if (write) {
    segment.write = now;
    segment.read = Stamp();
    history.Free(segment.readers);
    segment.readers = 0;
    return;
  }
  if (segment.read.epoch == 0 || (segment.read.core == now.core && segment.read.pipe == now.pipe)) {
    segment.read = now;
    return;
  }
  if (segment.readers == 0) segment.readers = history.New();
  std::vector<Stamp>& readers = history[segment.readers];
  for (Stamp& reader : readers) {
    if (reader.core == now.core && reader.pipe == now.pipe) {
      reader = now;
      return;
    }
  }
  readers.push_back(now);
}

bool Page::Alike(const Segment& a, const Segment& b, const History& history) {
  return a.readers == 0 && b.readers == 0 && history.SameTouch(a.write, b.write) && history.SameTouch(a.read, b.read);
}

void Page::Split(size_t first, size_t last, uint32_t begin, uint32_t end, const Stamp& now, bool write,
                 History& history) {
  scratch_.clear();
  // Joins a segment with the one before it where both have the same history; the newer record stands for both.
  const auto emit = [&](const Segment& segment) {
    if (!scratch_.empty() && Alike(scratch_.back(), segment, history)) {
      const uint32_t kept = scratch_.back().begin;
      scratch_.back() = segment;
      scratch_.back().begin = kept;
    } else {
      scratch_.push_back(segment);
    }
  };
  size_t from = first;
  if (first > 0 && segments_[first].begin == begin) {
    emit(segments_[first - 1]);
    from = first - 1;
  }
  for (size_t i = first; i <= last; ++i) {
    const Segment old = segments_[i];
    const uint32_t old_end = EndOf(i);
    Segment middle = old;
    middle.begin = std::max(old.begin, begin);
    if (old.begin < begin) {
      Segment left = old;
      left.readers = history.Copy(old.readers);
      emit(left);
    }
    if (old_end > end) {
      Segment right = old;
      right.begin = end;
      right.readers = history.Copy(old.readers);
      Apply(middle, now, write, history);
      emit(middle);
      emit(right);
    } else {
      Apply(middle, now, write, history);
      emit(middle);
    }
  }
  const size_t replaced = last + 1 - from;
  const size_t common = std::min(replaced, scratch_.size());
  std::copy_n(scratch_.begin(), common, segments_.begin() + from);
  if (scratch_.size() > replaced) {
    segments_.insert(segments_.begin() + from + common, scratch_.begin() + common, scratch_.end());
  } else {
    segments_.erase(segments_.begin() + from + common, segments_.begin() + from + replaced);
  }
  last_ = from;
}

Page* GlobalShadow::At(uint64_t number) {
  if (number == last_number_) return last_;
  const auto found = pages_.find(number);
  if (found != pages_.end()) {
    last_ = found->second.get();
  } else {
    if (pages_.size() >= kMaxPages) return nullptr;
    last_ = pages_.emplace(number, std::make_unique<Page>(static_cast<uint32_t>(kPageBytes))).first->second.get();
  }
  last_number_ = number;
  return last_;
}

}  // namespace kernelsmith::emulator
