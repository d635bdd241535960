// The host-wide lock of the cpu target: timing runs alone, compiling and references run together. Held by file locks,
// so it spans every worker of the host and ends with the process. A waiting timer is not starved: it takes the gate
// first, and new sharers queue behind the gate.
//
// Example:
//   TimingLock lock(lock_dir);
//   absl::StatusOr<TimingLock::Hold> hold = lock.Acquire(LockMode::kExclusive, stop);
//   ... time ...; hold->waited is what to report as "wait_lock"
#pragma once

#include <stop_token>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "worker/locks/file_lock.h"

namespace kernelsmith::worker {

// Thread-safe.
class TimingLock {
 public:
  struct Hold {
    FileLock lock;  // released when destroyed
    absl::Duration waited;
  };

  explicit TimingLock(std::string lock_dir) : lock_dir_(std::move(lock_dir)) {}

  // Waits. CANCELLED when stop is requested; DEADLINE_EXCEEDED at the deadline.
  absl::StatusOr<Hold> Acquire(LockMode mode, std::stop_token stop = {},
                               absl::Time deadline = absl::InfiniteFuture()) const;

 private:
  const std::string lock_dir_;
};

}  // namespace kernelsmith::worker
