#include "worker/locks/card_lock.h"

#include <errno.h>
#include <unistd.h>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/file_io.h"
#include "common/status.h"
#include "worker/locks/lock_folder.h"

namespace kernelsmith::worker {
namespace {

constexpr absl::Duration kHolderPoll = absl::Milliseconds(20);

}  // namespace

absl::StatusOr<FileLock> LockCard(const std::string& lock_dir, const std::string& card_id) {
  RETURN_IF_ERROR(MakeLockFolder(lock_dir));
  const std::string path = absl::StrCat(lock_dir, "/card-", card_id, ".lock");
  absl::StatusOr<FileLock> lock = FileLock::Try(path, LockMode::kExclusive);
  if (absl::IsUnavailable(lock.status())) {
    const absl::StatusOr<std::string> holder = common::ReadFile(path);
    return absl::AlreadyExistsError(
        absl::StrCat("card ", card_id, " belongs to the worker with process id ",
                     holder.ok() && !holder->empty() ? std::string(absl::StripAsciiWhitespace(*holder)) : "unknown",
                     " (", path, "); stop that worker or choose another card_id"));
  }
  RETURN_IF_ERROR(lock.status());
  const std::string pid = absl::StrCat(::getpid(), "\n");
  if (::ftruncate(lock->fd(), 0) != 0 || ::pwrite(lock->fd(), pid.data(), pid.size(), 0) < 0) {
    return common::ErrnoStatus(errno, absl::StrCat("cannot write ", path));
  }
  return lock;
}

absl::StatusOr<FileLock> AwaitCard(const std::string& lock_dir, const std::string& card_id, absl::Time deadline) {
  while (true) {
    auto lock = LockCard(lock_dir, card_id);
    if (lock.ok() || !absl::IsAlreadyExists(lock.status()) || absl::Now() >= deadline) return lock;
    absl::SleepFor(kHolderPoll);
  }
}

}  // namespace kernelsmith::worker
