// The last announcements of a job that are not in its log: what it does just now.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "kernelsmith/v1/job.pb.h"

namespace kernelsmith::server {

// Not thread-safe. Numbers grow by one an announcement, from 1; a reader holds the number of the last one it saw.
class TransientRing {
 public:
  void Add(v1::JobEvent event) {
    ++last_;
    events_.push_back(std::move(event));
    if (events_.size() > kCapacity) events_.pop_front();
  }

  // A logged event makes what was announced before it stale.
  void Clear() { events_.clear(); }

  // Appends what came after `cursor` and is still held, and moves the cursor.
  void ReadAfter(uint64_t& cursor, std::vector<v1::JobEvent>& out) const {
    const uint64_t first = last_ - events_.size() + 1;  // number of the oldest one held
    for (size_t i = 0; i < events_.size(); ++i) {
      if (first + i > cursor) out.push_back(events_[i]);
    }
    cursor = last_;
  }

  bool HasAfter(uint64_t cursor) const { return !events_.empty() && last_ > cursor; }
  const v1::JobEvent* newest() const { return events_.empty() ? nullptr : &events_.back(); }

 private:
  static constexpr size_t kCapacity = 32;
  uint64_t last_ = 0;
  std::deque<v1::JobEvent> events_;
};

}  // namespace kernelsmith::server
