// When a card that keeps failing is taken out, and when it is tried again.
#pragma once

#include <algorithm>

#include "absl/time/time.h"

namespace kernelsmith::server {

struct QuarantineRule {
  int after = 3;  // failures in a row
  absl::Duration length = absl::Seconds(30);
};

// A value; knows no clock. After its time a card is on probation: the next failure takes it out again, a success clears
// it.
class CardQuarantine {
 public:
  // True if this failure took the card out.
  bool OnFailure(const QuarantineRule& rule, absl::Time now) {
    ++failures_;
    if (failures_ < std::max(1, rule.after) || IsOut(now)) return false;
    until_ = now + rule.length;
    return true;
  }
  void OnSuccess() {
    failures_ = 0;
    until_ = absl::InfinitePast();
  }
  bool IsOut(absl::Time now) const { return now < until_; }
  absl::Time until() const { return until_; }
  int failures() const { return failures_; }

 private:
  int failures_ = 0;  // in a row
  absl::Time until_ = absl::InfinitePast();
};

}  // namespace kernelsmith::server
