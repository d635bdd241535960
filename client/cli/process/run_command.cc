#include "client/cli/process/run_command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/cli/process/child.h"
#include "common/status.h"

namespace kernelsmith::client {
namespace {

constexpr size_t kOutputLimit = 64 << 10;

// Reads until the other end closes. False when the deadline passed first.
bool Drain(int fd, absl::Time deadline, std::string& output) {
  std::array<char, 4096> buffer{};
  while (true) {
    const int64_t left_ms = absl::ToInt64Milliseconds(deadline - absl::Now());
    if (left_ms <= 0) return false;
    pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::min<int64_t>(left_ms, 1000)));
    if (ready <= 0) continue;
    const ssize_t got = read(fd, buffer.data(), buffer.size());
    if (got == 0) return true;
    if (got < 0) continue;
    output.append(buffer.data(), std::min(static_cast<size_t>(got), kOutputLimit - output.size()));
  }
}

}  // namespace

absl::StatusOr<CommandResult> RunCommand(const std::vector<std::string>& arguments, absl::Duration timeout) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return common::ErrnoStatus(errno, "cannot make a pipe");
  const absl::Cleanup close_reader = [&ends] { close(ends[0]); };
  const absl::StatusOr<pid_t> pid = SpawnChild({.arguments = arguments, .output_fd = ends[1]});
  close(ends[1]);
  RETURN_IF_ERROR(pid.status());
  CommandResult result;
  const bool in_time = Drain(ends[0], absl::Now() + timeout, result.output);
  if (!in_time) kill(-*pid, SIGKILL);
  int wait_status = 0;
  while (waitpid(*pid, &wait_status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time) {
    return absl::DeadlineExceededError(
        absl::StrCat(arguments[0], " did not end within ", absl::FormatDuration(timeout), " and was killed"));
  }
  result.exit_code = ExitCodeOfWait(wait_status);
  return result;
}

}  // namespace kernelsmith::client
