// Who touched which bytes last: for every byte of a memory the last write and the reads since, as few segments of equal
// history. Reading, writing and splitting are exact to the byte; a strided access costs its runs, a repeated one of the
// same bounds a look-up.
//
// Example:
//   Page page(arena bytes);
//   page.Touch(begin, end, stamp, /*write=*/true, history, [&](Hazard h, const Stamp& earlier, uint64_t b, uint64_t e)
//   {});
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "worker/emulator/trace/reader.h"
#include "worker/emulator/trace/trace.h"

namespace kernelsmith::emulator {

enum class Hazard : uint8_t { kRaw, kWar, kWaw };

// One touch. An epoch is a stretch of a pipe between two points at which others may learn that it is complete
// (see order.h); 0 means that nobody touched the bytes.
struct Stamp {
  uint32_t epoch = 0;
  uint32_t record = 0;  // TraceReader::IndexOf
  uint16_t core = 0;
  Pipe pipe = Pipe::kScalar;
  bool atomic = false;
};

// Readers beyond the first of a segment; and the question whether two records are the same place of the program.
class History {
 public:
  explicit History(const TraceReader& trace) : trace_(trace), lists_(1) {}

  bool SameTouch(const Stamp& a, const Stamp& b) const;
  uint32_t New();
  uint32_t Copy(uint32_t list);
  void Free(uint32_t list);
  std::vector<Stamp>& operator[](uint32_t list) { return lists_[list]; }

 private:
  const TraceReader& trace_;
  std::vector<std::vector<Stamp>> lists_;  // 0 is no list
  std::vector<uint32_t> free_;
};

class Page {
 public:
  explicit Page(uint32_t size) : size_(size), segments_(1) {}

  // Tells `found` of every earlier touch of [begin, end) that conflicts, with the bytes concerned, then records this
  // one. REQUIRES: begin < end <= size.
  template <typename Found>
  void Touch(uint32_t begin, uint32_t end, const Stamp& now, bool write, History& history, Found&& found);

  size_t segments() const { return segments_.size(); }

 private:
  struct Segment {
    uint32_t begin = 0;
    uint32_t readers = 0;  // further readers, in History
    Stamp write;
    Stamp read;
  };

  uint32_t EndOf(size_t i) const { return i + 1 < segments_.size() ? segments_[i + 1].begin : size_; }
  size_t Find(uint32_t at);
  static void Apply(Segment& segment, const Stamp& now, bool write, History& history);
  static bool Alike(const Segment& a, const Segment& b, const History& history);
  void Split(size_t first, size_t last, uint32_t begin, uint32_t end, const Stamp& now, bool write, History& history);

  uint32_t size_;
  std::vector<Segment> segments_;  // sorted, together they cover the page
  std::vector<Segment> scratch_;
  size_t last_ = 0;
};

// Global memory, in pages made on first touch.
class GlobalShadow {
 public:
  static constexpr uint64_t kPageBytes = 1 << 16;
  static constexpr size_t kMaxPages = 1 << 20;  // as much memory as the largest card has

  // Returns false, having recorded only a part, when the launch touches more memory than any card has.
  template <typename Found>
  bool Touch(uint64_t begin, uint64_t end, const Stamp& now, bool write, History& history, Found&& found);

 private:
  Page* At(uint64_t number);

  absl::flat_hash_map<uint64_t, std::unique_ptr<Page>> pages_;
  uint64_t last_number_ = ~uint64_t{0};
  Page* last_ = nullptr;
};

// Calls `run(begin, end)` for every contiguous run of an access; neighbouring runs are joined, repeated ones visited
// once.
template <typename Run>
void ForEachRun(const Access& access, Run&& run) {
  if (access.run_bytes == 0) return;
  uint64_t bytes = access.run_bytes;
  uint64_t runs = access.run_stride == 0 ? 1 : access.runs;
  uint64_t repeats = access.repeat_stride == 0 ? 1 : access.repeats;
  if (runs > 1 && access.run_stride == bytes) {
    bytes *= runs;
    runs = 1;
  }
  if (runs == 1 && repeats > 1 && access.repeat_stride == bytes) {
    bytes *= repeats;
    repeats = 1;
  }
  for (uint64_t i = 0; i < repeats; ++i) {
    for (uint64_t j = 0; j < runs; ++j) {
      const uint64_t begin = access.offset + i * access.repeat_stride + j * access.run_stride;
      run(begin, begin + bytes);
    }
  }
}

template <typename Found>
void Page::Touch(uint32_t begin, uint32_t end, const Stamp& now, bool write, History& history, Found&& found) {
  const size_t first = Find(begin);
  size_t last = first;
  for (;; ++last) {
    const Segment& segment = segments_[last];
    const uint32_t b = std::max(segment.begin, begin);
    const uint32_t e = std::min(EndOf(last), end);
    if (segment.write.epoch != 0) found(write ? Hazard::kWaw : Hazard::kRaw, segment.write, b, e);
    if (write) {
      if (segment.read.epoch != 0) found(Hazard::kWar, segment.read, b, e);
      if (segment.readers != 0) {
        for (const Stamp& reader : history[segment.readers]) found(Hazard::kWar, reader, b, e);
      }
    }
    if (EndOf(last) >= end) break;
  }
  if (first == last && segments_[first].begin == begin && EndOf(first) == end) {
    Apply(segments_[first], now, write, history);
  } else {
    Split(first, last, begin, end, now, write, history);
  }
}

template <typename Found>
bool GlobalShadow::Touch(uint64_t begin, uint64_t end, const Stamp& now, bool write, History& history, Found&& found) {
  while (begin < end) {
    const uint64_t base = begin / kPageBytes * kPageBytes;
    const uint64_t stop = std::min(end, base + kPageBytes);
    Page* const page = At(begin / kPageBytes);
    if (page == nullptr) return false;
    page->Touch(static_cast<uint32_t>(begin - base), static_cast<uint32_t>(stop - base), now, write, history,
                [&](Hazard hazard, const Stamp& earlier, uint64_t b, uint64_t e) {
                  found(hazard, earlier, base + b, base + e);
                });
    begin = stop;
  }
  return true;
}

}  // namespace kernelsmith::emulator
