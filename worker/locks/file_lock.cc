#include "worker/locks/file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace kernelsmith::worker {

absl::StatusOr<FileLock> FileLock::Try(const std::string& path, LockMode mode) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) return common::ErrnoStatus(errno, absl::StrCat("cannot open the lock file ", path));
  FileLock lock(fd);
  int result = 0;
  do {
    result = ::flock(fd, (mode == LockMode::kShared ? LOCK_SH : LOCK_EX) | LOCK_NB);
  } while (result != 0 && errno == EINTR);
  if (result == 0) return lock;
  if (errno == EWOULDBLOCK) return absl::UnavailableError(absl::StrCat(path, " is locked by somebody else"));
  return common::ErrnoStatus(errno, absl::StrCat("cannot lock ", path));
}

FileLock::FileLock(FileLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  if (this != &other) {
    Release();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

FileLock::~FileLock() { Release(); }

void FileLock::Release() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

}  // namespace kernelsmith::worker
