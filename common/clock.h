// Wall time as a dependency, so that rules about leases, backoff and age are tested without waiting.
#pragma once

#include <atomic>
#include <cstdint>

#include "absl/time/time.h"

namespace kernelsmith::common {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual absl::Time Now() const = 0;
  int64_t UnixMicros() const { return absl::ToUnixMicros(Now()); }

  // The system's clock; never destroyed.
  static const Clock& Real();
};

// A clock that moves only when told to. Thread-safe.
class ManualClock : public Clock {
 public:
  explicit ManualClock(absl::Time start) : micros_(absl::ToUnixMicros(start)) {}
  absl::Time Now() const override { return absl::FromUnixMicros(micros_.load()); }
  void Advance(absl::Duration by) { micros_ += absl::ToInt64Microseconds(by); }

 private:
  std::atomic<int64_t> micros_;
};

}  // namespace kernelsmith::common
