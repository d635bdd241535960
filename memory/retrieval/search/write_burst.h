// When indexing should stand aside for a mass of records that is arriving. A pure rule over times.
//
//   WriteBurst burst;
//   burst.Recorded(now);                              // with every record
//   if (burst.HasPriority(items_behind, now)) ...     // index a little later
//
// Indexing an attempt takes more processor time than recording it. Readers wait for the index while it is near; once it
// is not, they take what is there, and the sooner the mass is recorded, the sooner all of it is searchable.
#pragma once

#include <algorithm>
#include <cstdint>

#include "absl/time/time.h"

namespace kernelsmith::memory {

class WriteBurst {
 public:
  static constexpr int64_t kNear = 512;                             // items behind, up to which readers wait
  static constexpr absl::Duration kPause = absl::Milliseconds(50);  // without a record: the burst is over
  static constexpr absl::Duration kLongest = absl::Seconds(10);     // then indexing goes on, until it has caught up

  void Recorded(absl::Time now) { recorded_at_ = now; }

  // True while a burst comes first. `behind`: items recorded and not searchable.
  bool HasPriority(int64_t behind, absl::Time now) {
    if (behind <= kNear) {
      since_ = absl::InfiniteFuture();
      return false;
    }
    since_ = std::min(since_, now);
    return now - recorded_at_ < kPause && now - since_ < kLongest;
  }

 private:
  absl::Time recorded_at_ = absl::InfinitePast();
  absl::Time since_ = absl::InfiniteFuture();  // the index fell behind
};

}  // namespace kernelsmith::memory
