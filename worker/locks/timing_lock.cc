#include "worker/locks/timing_lock.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/status.h"
#include "worker/locks/lock_folder.h"

namespace kernelsmith::worker {
namespace {

constexpr absl::Duration kShortest = absl::Milliseconds(1);
constexpr absl::Duration kLongest = absl::Milliseconds(20);

// Sleeps, but wakes at once when stop is requested.
void Pause(absl::Duration duration, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait_for(lock, stop, absl::ToChronoNanoseconds(duration), [] { return false; });
}

absl::StatusOr<FileLock> Await(const std::string& path, LockMode mode, const std::stop_token& stop,
                               absl::Time deadline) {
  absl::Duration pause = kShortest;
  while (true) {
    absl::StatusOr<FileLock> lock = FileLock::Try(path, mode);
    if (lock.ok() || !absl::IsUnavailable(lock.status())) return lock;
    if (stop.stop_requested()) return absl::CancelledError("cancelled while waiting for the timing lock");
    if (absl::Now() >= deadline) {
      return absl::DeadlineExceededError(absl::StrCat("the timing lock ", path, " did not become free in time"));
    }
    Pause(std::min(pause, deadline - absl::Now()), stop);
    pause = std::min(pause * 2, kLongest);
  }
}

}  // namespace

absl::StatusOr<TimingLock::Hold> TimingLock::Acquire(LockMode mode, std::stop_token stop, absl::Time deadline) const {
  RETURN_IF_ERROR(MakeLockFolder(lock_dir_));
  const absl::Time begin = absl::Now();
  // Everybody passes the gate one at a time. Whoever wants to be alone keeps it while waiting for the others to leave,
  // so that no new ones come in.
  ASSIGN_OR_RETURN(const FileLock gate,
                   Await(absl::StrCat(lock_dir_, "/timing-gate.lock"), LockMode::kExclusive, stop, deadline));
  ASSIGN_OR_RETURN(FileLock lock, Await(absl::StrCat(lock_dir_, "/timing.lock"), mode, stop, deadline));
  return Hold{std::move(lock), absl::Now() - begin};
}

}  // namespace kernelsmith::worker
