#include "memory/embedding/circuit_breaker.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace kernelsmith::memory {
namespace {

constexpr int kFailuresToOpen = 2;
constexpr absl::Duration kFirstPause = absl::Seconds(2);
constexpr absl::Duration kLongestPause = absl::Seconds(60);

}  // namespace

absl::Status CircuitBreaker::Enter() {
  const absl::Time now = clock_.Now();
  const common::MutexLock lock(mutex_);
  if (now < open_until_) {
    return absl::UnavailableError(absl::StrCat("it is down (", reason_, "); it is asked again in ",
                                               absl::FormatDuration(absl::Ceil(open_until_ - now, absl::Seconds(1)))));
  }
  if (failures_ < kFailuresToOpen) return absl::OkStatus();
  if (trying_) return absl::UnavailableError(absl::StrCat("it is down (", reason_, "); it is being asked again"));
  trying_ = true;
  return absl::OkStatus();
}

void CircuitBreaker::Succeeded() {
  const common::MutexLock lock(mutex_);
  failures_ = 0;
  trying_ = false;
  open_until_ = absl::InfinitePast();
}

void CircuitBreaker::Failed(absl::string_view reason, absl::Duration at_least) {
  const absl::Time now = clock_.Now();
  const common::MutexLock lock(mutex_);
  ++failures_;
  trying_ = false;
  reason_ = std::string(reason);
  absl::Duration pause = at_least;
  if (failures_ >= kFailuresToOpen) {
    const int doublings = std::min(failures_ - kFailuresToOpen, 10);
    pause = std::max(pause, std::min(kFirstPause * (1 << doublings), kLongestPause));
  }
  open_until_ = now + std::min(pause, kLongestPause);
}

}  // namespace kernelsmith::memory
