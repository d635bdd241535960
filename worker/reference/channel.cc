#include "worker/reference/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "absl/time/clock.h"
#include "common/status.h"

namespace kernelsmith::worker {
namespace {

constexpr size_t kMaxDescriptors = 64;
constexpr uint32_t kMaxMessage = 64 << 20;
constexpr absl::Duration kStopInterval = absl::Milliseconds(50);  // how often a stop request is looked for

}  // namespace

absl::StatusOr<std::pair<Channel, int>> Channel::MakePair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return common::ErrnoStatus(errno, "socketpair");
  return std::pair<Channel, int>(Channel(ends[0]), ends[1]);
}

Channel::~Channel() {
  if (fd_ >= 0) close(fd_);
}

absl::Status Channel::AwaitEvent(short events, Awaiter await, const std::stop_token& stop) {
  absl::Status trouble;
  const bool done = await([&](absl::Time until) {
    while (true) {
      if (stop.stop_requested()) trouble = absl::CancelledError("stopped while the reference was running");
      if (!trouble.ok()) return true;
      const absl::Duration left = std::max(until - absl::Now(), absl::ZeroDuration());
      const absl::Duration wait = std::min(left, kStopInterval);
      pollfd entry{fd_, events, 0};
      const int ready = poll(&entry, 1, static_cast<int>(absl::ToInt64Milliseconds(wait)) + 1);
      if (ready > 0) return true;
      if (ready < 0 && errno != EINTR) trouble = common::ErrnoStatus(errno, "poll");
      if (ready == 0 && left <= wait) return false;
    }
  });
  return done ? trouble : absl::DeadlineExceededError("the reference took longer than its limit");
}

absl::Status Channel::Send(absl::string_view message, absl::Span<const int> descriptors, Awaiter await,
                           std::stop_token stop) {
  if (message.size() > kMaxMessage) return absl::InvalidArgumentError("the request to the reference is over 64 MiB");
  uint32_t length = static_cast<uint32_t>(message.size());  // hosts are little-endian
  iovec part{&length, sizeof(length)};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxDescriptors * sizeof(int))> control{};
  if (!descriptors.empty()) {
    if (descriptors.size() > kMaxDescriptors) return absl::InternalError("too many descriptors in one message");
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(descriptors.size() * sizeof(int));
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
    std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size() * sizeof(int));
  }
  RETURN_IF_ERROR(AwaitEvent(POLLOUT, await, stop));
  // Four bytes go whole or not at all once the socket is writable.
  if (sendmsg(fd_, &header, MSG_NOSIGNAL) != static_cast<ssize_t>(sizeof(length))) {
    return absl::UnavailableError("the reference process is gone");
  }
  while (!message.empty()) {
    RETURN_IF_ERROR(AwaitEvent(POLLOUT, await, stop));
    const ssize_t sent = send(fd_, message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (sent <= 0) return absl::UnavailableError("the reference process is gone");
    message.remove_prefix(static_cast<size_t>(sent));
  }
  return absl::OkStatus();
}

absl::Status Channel::ReadExactly(char* data, size_t size, Awaiter await, const std::stop_token& stop) {
  while (size > 0) {
    RETURN_IF_ERROR(AwaitEvent(POLLIN, await, stop));
    const ssize_t got = recv(fd_, data, size, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got <= 0) return absl::UnavailableError("the reference process is gone");
    data += got;
    size -= static_cast<size_t>(got);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> Channel::Receive(Awaiter await, std::stop_token stop) {
  uint32_t length = 0;
  RETURN_IF_ERROR(ReadExactly(reinterpret_cast<char*>(&length), sizeof(length), await, stop));
  if (length > kMaxMessage) return absl::DataLossError("the reference process announced a message over 64 MiB");
  std::string message(length, '\0');
  RETURN_IF_ERROR(ReadExactly(message.data(), message.size(), await, stop));
  return message;
}

}  // namespace kernelsmith::worker
