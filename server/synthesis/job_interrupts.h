// What may break into a running job: cancellation, the end of its wall time, and the shutdown of the coordinator. Long
// steps poll ShouldStop; pauses between retries end early.
#pragma once

#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "common/mutex.h"

namespace kernelsmith::server {

// Thread-safe.
class JobInterrupts {
 public:
  explicit JobInterrupts(const common::Clock& clock) : clock_(clock) {}

  void Cancel(absl::string_view job_id);
  void SetDeadline(absl::string_view job_id, absl::Time deadline);
  // Forgets cancellation and deadline of a job that runs no more.
  void Clear(absl::string_view job_id);
  // From now on every job should stop.
  void StopAll();

  bool stopping() const;
  bool ShouldStop(absl::string_view job_id) const;
  // Sleeps for `duration` of real time, or until the job should stop.
  void Pause(absl::string_view job_id, absl::Duration duration);

 private:
  struct State {
    bool cancelled = false;
    absl::Time deadline = absl::InfiniteFuture();
  };
  bool ShouldStopLocked(absl::string_view job_id) const EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const common::Clock& clock_;
  mutable common::Mutex mutex_;
  common::CondVar changed_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::map<std::string, State> jobs_ GUARDED_BY(mutex_);
};

}  // namespace kernelsmith::server
