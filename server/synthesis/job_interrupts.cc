#include "server/synthesis/job_interrupts.h"

#include <algorithm>

#include "absl/time/clock.h"

namespace kernelsmith::server {

void JobInterrupts::Cancel(absl::string_view job_id) {
  common::MutexLock lock(mutex_);
  jobs_[std::string(job_id)].cancelled = true;
  changed_.NotifyAll();
}

void JobInterrupts::SetDeadline(absl::string_view job_id, absl::Time deadline) {
  common::MutexLock lock(mutex_);
  jobs_[std::string(job_id)].deadline = deadline;
}

void JobInterrupts::Clear(absl::string_view job_id) {
  common::MutexLock lock(mutex_);
  jobs_.erase(std::string(job_id));
}

void JobInterrupts::StopAll() {
  common::MutexLock lock(mutex_);
  stopping_ = true;
  changed_.NotifyAll();
}

bool JobInterrupts::stopping() const {
  common::MutexLock lock(mutex_);
  return stopping_;
}

bool JobInterrupts::ShouldStop(absl::string_view job_id) const {
  common::MutexLock lock(mutex_);
  return ShouldStopLocked(job_id);
}

bool JobInterrupts::ShouldStopLocked(absl::string_view job_id) const {
  if (stopping_) return true;
  const auto found = jobs_.find(std::string(job_id));
  return found != jobs_.end() && (found->second.cancelled || clock_.Now() >= found->second.deadline);
}

void JobInterrupts::Pause(absl::string_view job_id, absl::Duration duration) {
  // The deadline is a matter of `clock_`, so it is looked at in steps.
  constexpr absl::Duration kStep = absl::Milliseconds(200);
  const absl::Time until = absl::Now() + duration;
  common::MutexLock lock(mutex_);
  while (!ShouldStopLocked(job_id) && absl::Now() < until) {
    changed_.WaitFor(mutex_, std::min(kStep, until - absl::Now()));
  }
}

}  // namespace kernelsmith::server
