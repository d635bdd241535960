#include "worker/jail/handshake.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "absl/strings/numbers.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/status.h"
#include "worker/jail/process_tree.h"

namespace kernelsmith::worker {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(60);  // a jail takes 20 ms unless the host is overloaded

void Close(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

bool AwaitReadable(int fd, absl::Time deadline) {
  while (absl::Now() < deadline) {
    pollfd poll_fd = {fd, POLLIN, 0};
    const int ready = ::poll(&poll_fd, 1, static_cast<int>(absl::ToInt64Milliseconds(deadline - absl::Now())) + 1);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
  return false;
}

}  // namespace

Handshake::~Handshake() {
  CloseTheirEnds();
  Close(ours_);
}

absl::Status Handshake::Open() {
  RETURN_IF_ERROR(status_.Open());
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
    return common::ErrnoStatus(errno, "cannot make a socket pair for a jail");
  }
  ours_ = pair[0];
  theirs_ = pair[1];
  null_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  return null_ < 0 ? common::ErrnoStatus(errno, "cannot open /dev/null") : absl::OkStatus();
}

void Handshake::CloseTheirEnds() {
  status_.CloseWriteEnd();
  Close(theirs_);
  Close(null_);
}

// bubblewrap writes a JSON object whose first member is "child-pid".
pid_t Handshake::AwaitInit() {
  const absl::Time deadline = absl::Now() + kPatience;
  std::string text;
  while (text.find('}') == std::string::npos && !status_.ended() && AwaitReadable(status_.read_fd(), deadline)) {
    status_.Read();
    text += status_.Take();
  }
  const size_t begin = text.find_first_of("0123456789");
  if (begin == std::string::npos) return 0;
  const size_t end = text.find_first_not_of("0123456789", begin);
  pid_t pid = 0;
  return absl::SimpleAtoi(text.substr(begin, end - begin), &pid) ? pid : 0;
}

bool Handshake::OpenGate(pid_t init) {
  char line = 0;
  if (!AwaitReadable(ours_, absl::Now() + kPatience) || ::read(ours_, &line, 1) != 1) return false;
  // The init forks the gate, binds its life to bubblewrap's, and then sleeps until the program ends.
  AwaitSleep(init, absl::Seconds(1));
  return ::send(ours_, "\n", 1, MSG_NOSIGNAL) == 1;
}

}  // namespace kernelsmith::worker
