// When to ask a tokenizer again that did not answer: not before 1 s after the first failure, then twice as long each
// time up to 60 s. Meanwhile nobody waits for it.
#pragma once

#include "absl/time/time.h"
#include "common/clock.h"
#include "common/mutex.h"

namespace kernelsmith::memory {

// Thread-safe.
class RetryGate {
 public:
  explicit RetryGate(const common::Clock& clock) : clock_(clock) {}

  bool MayAsk() const;
  void Answered();
  // True if it had answered before: the failure is news.
  bool Failed();

 private:
  const common::Clock& clock_;
  mutable common::Mutex mutex_;
  absl::Time closed_until_ GUARDED_BY(mutex_) = absl::InfinitePast();
  absl::Duration pause_ GUARDED_BY(mutex_) = absl::ZeroDuration();
};

}  // namespace kernelsmith::memory
