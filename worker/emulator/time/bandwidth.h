// Memory that all cores share: bandwidth in windows of time, and an L2 that keeps what was touched last.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace kernelsmith::emulator {

// Hands out bytes first come, first served, window by window; callers come in the order of their start times, so that
// cores which transfer at the same time share each window.
class SharedBandwidth {
 public:
  // Bytes per cycle.
  explicit SharedBandwidth(double rate) : per_window_(rate * kWindow) {}

  // When a transfer of `bytes` ends that starts at cycle `start` and moves at most `rate` bytes per cycle.
  double Transfer(double start, double bytes, double rate);

 private:
  static constexpr double kWindow = 256;           // cycles
  static constexpr size_t kMaxWindows = 1u << 25;  // beyond, nobody shares
  static constexpr uint64_t kMaxSteps = 1u << 30;  // likewise: a bound on the work that a hostile trace causes

  double per_window_;
  uint64_t steps_ = 0;
  std::vector<float> used_;
};

// Which lines of memory are in L2: first in, first out by 16 KiB, exact to 256 bytes inside. Lines that were written
// leave for memory when they are pushed out.
class L2 {
 public:
  explicit L2(uint64_t bytes) : capacity_(bytes / kGranule) {}

  struct Traffic {
    uint64_t hits = 0;     // bytes that were there already
    uint64_t evicted = 0;  // written bytes that had to go
  };

  // Afterwards all of [begin, end) is there.
  Traffic Touch(uint64_t begin, uint64_t end, bool write);
  // How many of these bytes are there; nothing comes or goes.
  uint64_t Hits(uint64_t begin, uint64_t end);

 private:
  static constexpr uint64_t kGranule = 16384;
  static constexpr uint64_t kLine = 256;

  static constexpr uint64_t kMaxSteps = 1u << 28;  // beyond, everything misses

  uint64_t capacity_;
  uint64_t steps_ = 0;
  struct Lines {
    uint64_t there = 0, written = 0;  // one bit a line
  };
  // Lines of its granule that [begin, end) covers.
  static uint64_t MaskOf(uint64_t begin, uint64_t end);
  absl::flat_hash_map<uint64_t, Lines> lines_;  // by granule
  std::deque<uint64_t> order_;
};

}  // namespace kernelsmith::emulator
