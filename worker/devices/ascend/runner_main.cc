// kernelsmith-ascend-runner: has the card, and runs a candidate's compiled kernels on it as told over a socket. Inside
// a jail that shows the card's device nodes. Host code of candidates never gets here: the object holds kernels and the
// worker's own launcher.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "worker/devices/ascend/acl_library.h"
#include "worker/devices/ascend/card_session.h"
#include "worker/devices/ascend/runner_protocol.h"

namespace kernelsmith::worker::ascend_runner {
namespace {

struct Packet {
  std::vector<char> bytes = std::vector<char>(kMaxPacket);
  size_t size = 0;
  std::vector<int> fds;
};

bool Receive(Packet& packet) {
  packet.fds.clear();
  iovec part = {packet.bytes.data(), packet.bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))];
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t size = 0;
  do {
    size = ::recvmsg(kSocket, &message, MSG_CMSG_CLOEXEC);
  } while (size < 0 && errno == EINTR);
  if (size < static_cast<ssize_t>(sizeof(Request))) return false;
  packet.size = static_cast<size_t>(size);
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS) {
    packet.fds.resize((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    std::memcpy(packet.fds.data(), CMSG_DATA(header), packet.fds.size() * sizeof(int));
  }
  return true;
}

void Send(ReplyHeader header, const std::string& text, const std::vector<double>& times = {}) {
  header.text_bytes = static_cast<uint32_t>(std::min<size_t>(text.size(), kMaxPart));
  header.doubles = static_cast<uint32_t>(times.size());
  std::string packet(reinterpret_cast<const char*>(&header), sizeof header);
  packet.append(reinterpret_cast<const char*>(times.data()), times.size() * sizeof(double));
  packet.append(text, 0, header.text_bytes);
  ssize_t sent = 0;
  do {
    sent = ::send(kSocket, packet.data(), packet.size(), MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
}

void Say(Reply kind, const std::string& text = "") {
  ReplyHeader header;
  header.kind = kind;
  Send(header, text);
}

// Takes structures off the front of a packet.
class Cursor {
 public:
  explicit Cursor(const Packet& packet) : at_(packet.bytes.data()), end_(at_ + packet.size) {}
  template <typename T>
  T Take() {
    T value = {};
    if (static_cast<size_t>(end_ - at_) < sizeof value) return value;
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::string TakeText(size_t bytes) {
    std::string text(at_, std::min(bytes, static_cast<size_t>(end_ - at_)));
    at_ += text.size();
    return text;
  }

 private:
  const char* at_;
  const char* end_;
};

std::byte* MapBlock(int fd, int64_t bytes, int protection) {
  void* const data = ::mmap(nullptr, static_cast<size_t>(bytes), protection, MAP_SHARED, fd, 0);
  return data == MAP_FAILED ? nullptr : static_cast<std::byte*>(data);
}

class Server {
 public:
  int Serve() {
    Packet packet;
    while (Receive(packet)) {
      Cursor cursor(packet);
      Request kind;
      std::memcpy(&kind, packet.bytes.data(), sizeof kind);
      switch (kind) {
        case Request::kOpen:
          Open(cursor.Take<OpenRequest>());
          break;
        case Request::kLoad:
          Load(cursor);
          break;
        case Request::kMap:
          Map(cursor, packet.fds);
          break;
        case Request::kRun:
          Run(cursor);
          break;
        case Request::kQuit:
          return 0;
      }
    }
    return 1;
  }

 private:
  void SayFailed(const acl::Failure& failure) {
    ReplyHeader header;
    header.kind = Reply::kFailed;
    header.code = failure.code;
    Send(header, std::string(failure.call) + '\0' + session_.Message());
  }

  void Open(const OpenRequest& request) {
    if (request.version != kVersion) {
      Say(Reply::kRefused, "this runner speaks another protocol version; install worker and runner of one version");
      return;
    }
    if (const std::string why = acl_.Load(); !why.empty()) {
      Say(Reply::kRefused, why);
      return;
    }
    const acl::Failure failure = session_.Open(request.device, request.operation_limit_s);
    if (failure.ok()) {
      Say(Reply::kOpened, session_.Describe());
    } else {
      SayFailed(failure);
    }
  }

  void Load(Cursor& cursor) {
    const auto request = cursor.Take<LoadRequest>();
    const std::string why = session_.Load(cursor.TakeText(request.path_bytes));
    Say(why.empty() ? Reply::kLoaded : Reply::kRefused, why);
  }

  void Map(Cursor& cursor, const std::vector<int>& fds) {
    auto pool = std::make_unique<acl::CasePool>(acl_);
    pool->header = cursor.Take<MapRequest>();
    for (uint32_t i = 0; i < pool->header.n_inputs; ++i) pool->inputs.push_back(cursor.Take<Buffer>());
    for (uint32_t i = 0; i < pool->header.n_outputs; ++i) pool->outputs.push_back(cursor.Take<Buffer>());
    for (uint32_t i = 0; i < pool->header.n_launches; ++i) {
      acl::CasePool::PlannedLaunch planned{cursor.Take<Launch>(), {}};
      for (uint32_t n = 0; n < planned.launch.n_arguments; ++n) planned.arguments.push_back(cursor.Take<Argument>());
      pool->launches.push_back(std::move(planned));
    }
    pool->tiling = cursor.TakeText(pool->header.tiling_bytes);
    const int64_t input_bytes = pool->header.input_stride * pool->header.slots;
    const int64_t output_bytes = pool->header.output_stride * pool->header.slots;
    size_t next_fd = 0;
    if (input_bytes > 0) pool->host_inputs = MapBlock(fds.at(next_fd++), input_bytes, PROT_READ);
    if (output_bytes > 0) pool->host_outputs = MapBlock(fds.at(next_fd++), output_bytes, PROT_READ | PROT_WRITE);
    for (const int fd : fds) ::close(fd);
    if ((input_bytes > 0 && pool->host_inputs == nullptr) || (output_bytes > 0 && pool->host_outputs == nullptr)) {
      Say(Reply::kRefused, "the tensors cannot be mapped");
      return;
    }
    const acl::Failure failure = session_.Prepare(*pool);
    if (!failure.ok()) {
      SayFailed(failure);
      return;
    }
    pools_.push_back(std::move(pool));
    Say(Reply::kMapped);
  }

  void Run(Cursor& cursor) {
    const auto request = cursor.Take<RunRequest>();
    std::vector<uint32_t> slots;
    for (uint32_t i = 0; i < request.count; ++i) slots.push_back(cursor.Take<uint32_t>());
    const acl::RunResult result = session_.Run(*pools_.at(request.pool), slots, request.limit_ms);
    const std::string message = result.failure.ok() ? "" : session_.Message();  // before other calls replace it
    // A card that is still busy would let the report wait for it.
    const std::string report = result.failure.code == acl::kStreamTimeout ? "" : session_.Report();
    for (size_t at = 0; at < report.size(); at += kMaxPart) Say(Reply::kPart, report.substr(at, kMaxPart));
    ReplyHeader header;
    header.kind = result.failure.ok() ? result.end : Reply::kFailed;
    header.code = result.failure.code;
    header.slot = result.slot;
    header.batch_us = result.batch_us;
    const std::string text = result.failure.ok() ? result.text : std::string(result.failure.call) + '\0' + message;
    Send(header, text, result.times_us);
  }

  acl::AclLibrary acl_;
  acl::CardSession session_{acl_};
  std::vector<std::unique_ptr<acl::CasePool>> pools_;
};

}  // namespace
}  // namespace kernelsmith::worker::ascend_runner

int main() {
  auto* const server = new kernelsmith::worker::ascend_runner::Server();
  const int code = server->Serve();
  // After a fault of the device its runtime must not be cleaned up; the driver does that when the process ends.
  ::_exit(code);
}
