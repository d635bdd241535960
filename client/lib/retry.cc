#include "client/lib/retry.h"

#include "absl/random/random.h"
#include "absl/time/clock.h"
#include "common/backoff.h"
#include "common/mutex.h"

namespace kernelsmith::client {

bool SleepUnlessStopped(absl::Duration duration, const std::stop_token& stop) {
  common::Mutex mutex;
  common::CondVar wake;
  const std::stop_callback on_stop(stop, [&] {
    common::MutexLock lock(mutex);
    wake.NotifyAll();
  });
  const absl::Time deadline = absl::Now() + duration;
  common::MutexLock lock(mutex);
  while (!stop.stop_requested()) {
    if (absl::Now() >= deadline) return true;
    wake.WaitUntil(mutex, deadline);
  }
  return false;
}

absl::Status RetryUnavailable(absl::Duration retry_for, const std::function<absl::Status()>& call) {
  const common::BackoffPolicy policy{.initial = absl::Milliseconds(100), .cap = absl::Seconds(2)};
  const absl::Time deadline = absl::Now() + retry_for;
  absl::BitGen random;
  for (int retry = 1;; ++retry) {
    absl::Status status = call();
    if (!absl::IsUnavailable(status)) return status;
    const absl::Duration delay = common::BackoffDelay(policy, retry, random);
    if (absl::Now() + delay > deadline) return status;
    absl::SleepFor(delay);
  }
}

}  // namespace kernelsmith::client
