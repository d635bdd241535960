#include "client/cli/up/instance_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "common/status.h"

namespace kernelsmith::client {

absl::StatusOr<InstanceLock> InstanceLock::Take(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return common::ErrnoStatus(errno, absl::StrCat("cannot open ", path));
  InstanceLock lock(fd);
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return common::ErrnoStatus(errno, absl::StrCat("cannot lock ", path));
    const absl::StatusOr<std::string> text = common::ReadFile(path);
    const std::string holder(text.ok() ? absl::StripAsciiWhitespace(*text) : "");
    return absl::FailedPreconditionError(absl::StrCat(
        "kernelsmith up is already running on this data folder", holder.empty() ? "" : ", as process " + holder, " (",
        path, "); use its servers, stop it with Ctrl-C or `kill ", holder.empty() ? "PID" : holder,
        "`, or give another folder with --data"));
  }
  const std::string pid = absl::StrCat(getpid(), "\n");
  if (ftruncate(fd, 0) != 0 || pwrite(fd, pid.data(), pid.size(), 0) < 0) {
    return common::ErrnoStatus(errno, absl::StrCat("cannot write ", path));
  }
  return lock;
}

InstanceLock::~InstanceLock() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace kernelsmith::client
