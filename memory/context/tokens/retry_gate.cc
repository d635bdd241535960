#include "memory/context/tokens/retry_gate.h"

#include <algorithm>

namespace kernelsmith::memory {
namespace {

constexpr absl::Duration kFirstPause = absl::Seconds(1);
constexpr absl::Duration kLongestPause = absl::Seconds(60);

}  // namespace

bool RetryGate::MayAsk() const {
  common::MutexLock lock(mutex_);
  return clock_.Now() >= closed_until_;
}

void RetryGate::Answered() {
  common::MutexLock lock(mutex_);
  pause_ = absl::ZeroDuration();
  closed_until_ = absl::InfinitePast();
}

bool RetryGate::Failed() {
  common::MutexLock lock(mutex_);
  const bool is_news = pause_ == absl::ZeroDuration();
  pause_ = is_news ? kFirstPause : std::min(2 * pause_, kLongestPause);
  closed_until_ = clock_.Now() + pause_;
  return is_news;
}

}  // namespace kernelsmith::memory
