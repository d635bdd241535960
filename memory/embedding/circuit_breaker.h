// Remembers that a server is down, so that nobody waits to find out again.
//
//   RETURN_IF_ERROR(breaker.Enter());        // UNAVAILABLE at once while it is down
//   ... ask ...
//   reply.ok() ? breaker.Succeeded() : breaker.Failed(reply.status().message());
//
// Two failures in a row open it: for 2 s, then twice as long with every further failure, up to 60 s; or as long as the
// server asked for. When the time is over one caller may try, the others still fail at once until its result is in.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "common/mutex.h"

namespace kernelsmith::memory {

// Thread-safe.
class CircuitBreaker {
 public:
  explicit CircuitBreaker(const common::Clock& clock) : clock_(clock) {}

  // UNAVAILABLE with the reason and the time left. Ok: Succeeded or Failed must follow.
  absl::Status Enter();
  void Succeeded();
  // `at_least`: how long the server asked to be left alone.
  void Failed(absl::string_view reason, absl::Duration at_least = absl::ZeroDuration());

 private:
  const common::Clock& clock_;
  common::Mutex mutex_;
  int failures_ GUARDED_BY(mutex_) = 0;  // in a row
  bool trying_ GUARDED_BY(mutex_) = false;
  absl::Time open_until_ GUARDED_BY(mutex_) = absl::InfinitePast();
  std::string reason_ GUARDED_BY(mutex_);
};

}  // namespace kernelsmith::memory
