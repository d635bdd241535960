#include "worker/jail/output_drain.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "common/status.h"

namespace kernelsmith::worker {

OutputDrain::~OutputDrain() {
  CloseWriteEnd();
  if (read_fd_ >= 0) ::close(read_fd_);
}

absl::Status OutputDrain::Open() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return common::ErrnoStatus(errno, "cannot make a pipe for a jail's output");
  read_fd_ = ends[0];
  write_fd_ = ends[1];
  // Only this end: the child's must block.
  ::fcntl(read_fd_, F_SETFL, O_NONBLOCK);
  return absl::OkStatus();
}

void OutputDrain::CloseWriteEnd() {
  if (write_fd_ >= 0) ::close(write_fd_);
  write_fd_ = -1;
}

void OutputDrain::Read() {
  std::array<char, 65536> buffer;
  while (!ended_) {
    const ssize_t size = ::read(read_fd_, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return;
    if (size <= 0) {
      ended_ = true;
      return;
    }
    const int64_t room = limit_bytes_ - static_cast<int64_t>(bytes_.size());
    if (size > room) overflowed_ = true;
    bytes_.append(buffer.data(), static_cast<size_t>(std::clamp<int64_t>(room, 0, size)));
    if (overflowed_) return;  // the caller ends the program; do not let it keep us here
  }
}

}  // namespace kernelsmith::worker
