#include "worker/locks/file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace kernelsmith::worker {

namespace {

// Makes an empty file for all users, whole: under another name first, whatever the process's mask is. Another process
// may be faster.
absl::Status Create(const std::string& path) {
  std::string made = path + ".XXXXXX";
  const int fd = ::mkostemp(made.data(), O_CLOEXEC);
  if (fd < 0) return common::ErrnoStatus(errno, absl::StrCat("cannot create a lock file ", made));
  const bool linked = ::fchmod(fd, 0666) == 0 && (::link(made.c_str(), path.c_str()) == 0 || errno == EEXIST);
  const int error = errno;
  ::unlink(made.c_str());
  ::close(fd);
  return linked ? absl::OkStatus() : common::ErrnoStatus(error, absl::StrCat("cannot create the lock file ", path));
}

// O_CREAT is kept apart: in a sticky folder the kernel refuses it for files of other users (fs.protected_regular).
int OpenExisting(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd >= 0 || errno != EACCES) return fd;
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);  // enough for a lock
}

}  // namespace

absl::StatusOr<FileLock> FileLock::Try(const std::string& path, LockMode mode) {
  int fd = OpenExisting(path);
  if (fd < 0 && errno == ENOENT) {
    RETURN_IF_ERROR(Create(path));
    fd = OpenExisting(path);
  }
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
