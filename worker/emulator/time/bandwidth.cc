#include "worker/emulator/time/bandwidth.h"

#include <algorithm>
#include <bit>

namespace kernelsmith::emulator {

double SharedBandwidth::Transfer(double start, double bytes, double rate) {
  double now = start;
  auto window = static_cast<size_t>(start / kWindow);
  while (bytes > 0 && window < kMaxWindows && steps_++ < kMaxSteps) {
    if (window >= used_.size()) used_.resize(std::max(window + 1, used_.size() * 2));
    const double end = static_cast<double>(window + 1) * kWindow;
    const double free = per_window_ - used_[window];
    const double moved = std::min({bytes, rate * (end - now), std::max(free, 0.0)});
    used_[window] += static_cast<float>(moved);
    bytes -= moved;
    if (bytes <= 0) return now + moved / rate;
    now = end;
    ++window;
  }
  return now + bytes / rate;
}

uint64_t L2::MaskOf(uint64_t begin, uint64_t end) {
  const uint64_t first = begin % kGranule / kLine, last = (end - 1) % kGranule / kLine;
  return (last - first == 63 ? ~uint64_t{0} : (uint64_t{1} << (last - first + 1)) - 1) << first;
}

uint64_t L2::Hits(uint64_t begin, uint64_t end) {
  uint64_t hits = 0;
  while (begin < end && steps_++ < kMaxSteps) {
    const uint64_t stop = std::min(end, (begin / kGranule + 1) * kGranule);
    if (const auto lines = lines_.find(begin / kGranule); lines != lines_.end()) {
      hits += std::min(static_cast<uint64_t>(std::popcount(lines->second.there & MaskOf(begin, stop))) * kLine,
                       stop - begin);
    }
    begin = stop;
  }
  return hits;
}

L2::Traffic L2::Touch(uint64_t begin, uint64_t end, bool write) {
  Traffic traffic;
  while (begin < end && steps_++ < kMaxSteps) {
    const uint64_t granule = begin / kGranule;
    const uint64_t stop = std::min(end, (granule + 1) * kGranule);
    const uint64_t mask = MaskOf(begin, stop);
    const auto [entry, fresh] = lines_.try_emplace(granule);
    if (fresh) {
      order_.push_back(granule);
    } else {
      const uint64_t there = static_cast<uint64_t>(std::popcount(entry->second.there & mask)) * kLine;
      traffic.hits += std::min(there, stop - begin);
    }
    entry->second.there |= mask;
    if (write) entry->second.written |= mask;
    if (order_.size() > capacity_) {
      const auto oldest = lines_.find(order_.front());
      traffic.evicted += static_cast<uint64_t>(std::popcount(oldest->second.written)) * kLine;
      lines_.erase(oldest);
      order_.pop_front();
    }
    begin = stop;
  }
  return traffic;
}

}  // namespace kernelsmith::emulator
