#include "worker/emulator/runtime/message_socket.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

namespace kernelsmith::emulator {
namespace {

union DescriptorSpace {
  cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};

}  // namespace

bool SendMessage(int socket, const Message& message, const void* payload, size_t bytes, int descriptor) {
  if (bytes > kMaxPayload) return false;
  iovec parts[2] = {{const_cast<Message*>(&message), sizeof(message)}, {const_cast<void*>(payload), bytes}};
  msghdr packet{};
  packet.msg_iov = parts;
  packet.msg_iovlen = bytes > 0 ? 2 : 1;
  DescriptorSpace space{};
  if (descriptor >= 0) {
    packet.msg_control = space.bytes;
    packet.msg_controllen = sizeof(space.bytes);
    cmsghdr* control = CMSG_FIRSTHDR(&packet);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(control), &descriptor, sizeof(int));
  }
  for (;;) {
    if (::sendmsg(socket, &packet, MSG_NOSIGNAL) >= 0) return true;
    if (errno == ETOOMANYREFS) {  // too many descriptors on their way: the device process has yet to take them
      ::usleep(1000);
    } else if (errno != EINTR) {
      return false;
    }
  }
}

Received ReceiveMessage(int socket, Message& message, std::vector<std::byte>& payload, int& descriptor, bool wait) {
  descriptor = -1;
  payload.resize(kMaxPayload);
  iovec parts[2] = {{&message, sizeof(message)}, {payload.data(), payload.size()}};
  DescriptorSpace space{};
  msghdr packet{};
  packet.msg_iov = parts;
  packet.msg_iovlen = 2;
  packet.msg_control = space.bytes;
  packet.msg_controllen = sizeof(space.bytes);
  ssize_t got;
  do {
    got = ::recvmsg(socket, &packet, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
  } while (got < 0 && errno == EINTR);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Received::kNothing;
  if (got >= 0) {
    for (cmsghdr* c = CMSG_FIRSTHDR(&packet); c != nullptr; c = CMSG_NXTHDR(&packet, c)) {
      if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof(int))) {
        std::memcpy(&descriptor, CMSG_DATA(c), sizeof(int));
      }
    }
  }
  if (got < static_cast<ssize_t>(sizeof(message)) || (packet.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) {
    if (descriptor >= 0) ::close(descriptor);
    descriptor = -1;
    return Received::kGone;
  }
  payload.resize(static_cast<size_t>(got) - sizeof(message));
  return Received::kMessage;
}

}  // namespace kernelsmith::emulator
