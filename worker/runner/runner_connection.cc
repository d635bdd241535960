#include "worker/runner/runner_connection.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/status.h"

namespace kernelsmith::worker {
namespace {

template <typename Structure>
void AppendTo(std::string& packet, const Structure& structure) {
  packet.append(reinterpret_cast<const char*>(&structure), sizeof structure);
}

runner::TensorPlace Place(const SlotPool::Placement& placement) {
  const TensorLayout& layout = placement.layout;
  runner::TensorPlace place = {};
  place.dtype = static_cast<int32_t>(layout.dtype);
  place.rank = static_cast<uint32_t>(layout.shape.size());
  place.elements = layout.elements;
  place.offset = placement.offset + layout.storage_offset * layout.element_bytes;
  std::copy(layout.shape.begin(), layout.shape.end(), place.shape);
  std::copy(layout.strides.begin(), layout.strides.end(), place.strides);
  return place;
}

}  // namespace

RunnerConnection::~RunnerConnection() {
  CloseTheirEnd();
  if (ours_ >= 0) ::close(ours_);
}

absl::Status RunnerConnection::Open() {
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
    return common::ErrnoStatus(errno, "cannot make a socket pair for a runner");
  }
  ours_ = pair[0];
  theirs_ = pair[1];
  return absl::OkStatus();
}

void RunnerConnection::CloseTheirEnd() {
  if (theirs_ >= 0) ::close(theirs_);
  theirs_ = -1;
}

bool RunnerConnection::Send(absl::string_view packet, absl::Span<const int> fds) {
  iovec part = {const_cast<char*>(packet.data()), packet.size()};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(2 * sizeof(int))> control = {};
  if (!fds.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
    std::memcpy(CMSG_DATA(header), fds.data(), fds.size() * sizeof(int));
  }
  // The other side answers each request before the next, so its queue is empty unless it is not a runner any more.
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(ours_, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(packet.size());
}

RunnerConnection::Received RunnerConnection::ReceivePacket(absl::Time deadline, size_t max_bytes, std::string* packet) {
  while (true) {
    const absl::Duration left = std::clamp(deadline - absl::Now(), absl::ZeroDuration(), absl::Hours(1));
    pollfd fd = {ours_, POLLIN, 0};
    const timespec timeout = absl::ToTimespec(left);
    const int ready = ::ppoll(&fd, 1, &timeout, nullptr);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      if (absl::Now() < deadline) continue;
      return Received::kTimeout;
    }
    packet->resize(max_bytes + 1);  // one byte more, to tell a longer packet
    const ssize_t size = ::recv(ours_, packet->data(), packet->size(), MSG_DONTWAIT);
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    packet->resize(static_cast<size_t>(std::max<ssize_t>(0, size)));
    if (size <= 0) return Received::kClosed;
    return packet->size() > max_bytes ? Received::kGarbage : Received::kReply;
  }
}

RunnerConnection::Received RunnerConnection::Receive(absl::Time deadline, runner::ReplyMessage* reply) {
  std::string packet;
  const Received received = ReceivePacket(deadline, sizeof *reply, &packet);
  if (received != Received::kReply) return received;
  if (packet.size() != sizeof *reply) return Received::kGarbage;
  std::memcpy(static_cast<void*>(reply), packet.data(), sizeof *reply);
  return Received::kReply;
}

bool RunnerConnection::HasStrayReply() const {
  pollfd fd = {ours_, POLLIN, 0};
  return ::poll(&fd, 1, 0) == 1 && (fd.revents & POLLIN) != 0 && (fd.revents & POLLHUP) == 0;
}

std::string EncodeLoad(absl::string_view object_path, int cpu_count) {
  runner::LoadRequest request;
  request.cpu_count = static_cast<uint32_t>(cpu_count);
  request.path_bytes = static_cast<uint32_t>(object_path.size());
  std::string packet;
  AppendTo(packet, request);
  packet.append(object_path.data(), object_path.size());
  return packet;
}

absl::StatusOr<std::string> EncodeMap(const SlotPool& pool) {
  runner::MapRequest request;
  request.n_inputs = static_cast<uint32_t>(pool.inputs());
  request.n_outputs = static_cast<uint32_t>(pool.outputs());
  request.n_attributes = static_cast<uint32_t>(pool.task_case().attributes_size());
  request.slots = static_cast<uint32_t>(pool.slots());
  request.input_stride = pool.input_stride();
  request.output_stride = pool.output_stride();
  // A map has no order of its own; the candidate sees attributes by name.
  std::vector<std::pair<std::string, std::string>> attributes(pool.task_case().attributes().begin(),
                                                              pool.task_case().attributes().end());
  std::sort(attributes.begin(), attributes.end());
  std::string texts;
  for (const auto& [name, json] : attributes) {
    texts.append(name.c_str(), name.size() + 1);
    texts.append(json.c_str(), json.size() + 1);
  }
  request.attribute_bytes = static_cast<uint32_t>(texts.size());
  std::string packet;
  AppendTo(packet, request);
  for (const SlotPool::Placement& placement : pool.input_placements()) AppendTo(packet, Place(placement));
  for (const SlotPool::Placement& placement : pool.output_placements()) AppendTo(packet, Place(placement));
  packet.append(texts);
  if (packet.size() > runner::kMaxMessageBytes) {
    return absl::InvalidArgumentError(absl::StrCat("case '", pool.task_case().id(), "' has ", packet.size(),
                                                   " bytes of tensors and attributes; at most ",
                                                   runner::kMaxMessageBytes, " can be passed to a kernel"));
  }
  return packet;
}

std::string EncodeCall(uint32_t sequence, int pool, absl::Span<const int> slots) {
  runner::CallRequest request;
  request.sequence = sequence;
  request.pool = static_cast<uint32_t>(pool);
  request.count = static_cast<uint32_t>(slots.size());
  std::string packet;
  packet.reserve(sizeof request + slots.size() * sizeof(uint32_t));
  AppendTo(packet, request);
  for (const int slot : slots) AppendTo(packet, static_cast<uint32_t>(slot));
  return packet;
}

std::string EncodeQuit() {
  std::string packet;
  AppendTo(packet, runner::Request::kQuit);
  return packet;
}

std::string TextOf(const runner::ReplyMessage& reply) {
  return std::string(reply.text, ::strnlen(reply.text, sizeof reply.text));
}

}  // namespace kernelsmith::worker
