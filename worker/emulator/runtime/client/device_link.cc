#include "worker/emulator/runtime/client/device_link.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

extern char** environ;

namespace kernelsmith::emulator::acl {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr auto kStartLimit = std::chrono::seconds(60);
constexpr auto kEndLimit = std::chrono::seconds(3);
constexpr auto kSlice = milliseconds(100);  // between looks whether the device process lives

class OwnedDescriptor {
 public:
  explicit OwnedDescriptor(int fd = -1) : fd_(fd) {}
  ~OwnedDescriptor() { Reset(); }
  OwnedDescriptor(const OwnedDescriptor&) = delete;
  OwnedDescriptor& operator=(const OwnedDescriptor&) = delete;
  int get() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }
  void Reset(int fd = -1) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }
  // Out of the way of the numbers the device process gets.
  bool MoveUp() {
    const int higher = ::fcntl(fd_, F_DUPFD_CLOEXEC, 16);
    if (higher < 0) return false;
    Reset(higher);
    return true;
  }

 private:
  int fd_;
};

std::string Errno(const char* what) { return std::string(what) + ": " + std::strerror(errno); }

// Fixed in size, so that no side can take bytes away under the other.
int SharedFile(const char* name, uint64_t bytes) {
  const int fd = ::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return -1;
  if (::ftruncate(fd, static_cast<off_t>(bytes)) != 0 ||
      ::fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    const int error = errno;
    ::close(fd);
    errno = error;
    return -1;
  }
  return fd;
}

pid_t Spawn(const LinkOptions& options, int socket, int memory, int control, std::string* why) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, socket, kSocketDescriptor);
  ::posix_spawn_file_actions_adddup2(&actions, memory, kMemoryDescriptor);
  ::posix_spawn_file_actions_adddup2(&actions, control, kControlDescriptor);
  // Signals as in a fresh program, in a group of its own: an interrupt from the terminal is for the client.
  sigset_t none;
  sigset_t all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  const std::string parent = std::to_string(::getpid());
  const std::string device = std::to_string(options.device);
  const std::string window = std::to_string(options.window);
  const std::string bytes = std::to_string(options.memory_bytes);
  const char* argv[] = {options.program.c_str(), options.soc_path.c_str(), device.c_str(), window.c_str(),
                        bytes.c_str(),           parent.c_str(),           nullptr};
  pid_t pid = -1;
  const int error =
      ::posix_spawn(&pid, options.program.c_str(), &actions, &attributes, const_cast<char**>(argv), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (error == 0) return pid;
  *why = options.program + " does not start: " + std::strerror(error) + "; is the toolkit complete?";
  return -1;
}

// True if something can be read, or the other side is gone.
bool Readable(int socket, milliseconds timeout) {
  pollfd waiting{socket, POLLIN, 0};
  return ::poll(&waiting, 1, static_cast<int>(timeout.count())) > 0;
}

}  // namespace

std::unique_ptr<DeviceLink> DeviceLink::Start(const LinkOptions& options, std::string* why) {
  std::unique_ptr<DeviceLink> link(new DeviceLink);
  OwnedDescriptor memory(SharedFile("emulated-device-memory", options.memory_bytes));
  OwnedDescriptor control(SharedFile("emulated-device-control", sizeof(Control)));
  int pair[2] = {-1, -1};
  if (memory.get() < 0 || control.get() < 0 || ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
    *why = Errno("shared memory of the card");
    return nullptr;
  }
  OwnedDescriptor ours(pair[0]);
  OwnedDescriptor theirs(pair[1]);
  if (!memory.MoveUp() || !control.MoveUp() || !theirs.MoveUp()) {
    *why = Errno("descriptors of the card");
    return nullptr;
  }
  void* const base =
      reinterpret_cast<void*>(kDeviceMemoryBase + static_cast<uint64_t>(options.window) * kDeviceMemoryWindow);
  void* const mapped = ::mmap(base, options.memory_bytes, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, memory.get(), 0);
  if (mapped == MAP_FAILED) {
    *why = Errno("memory of the card does not fit into this process");
    return nullptr;
  }
  link->memory_ = mapped;
  link->memory_bytes_ = options.memory_bytes;
  void* const shared = ::mmap(nullptr, sizeof(Control), PROT_READ | PROT_WRITE, MAP_SHARED, control.get(), 0);
  if (shared == MAP_FAILED) {
    *why = Errno("shared memory of the card");
    return nullptr;
  }
  link->control_ = static_cast<Control*>(shared);
  // A child of fork shares neither: the card belongs to one process.
  ::madvise(mapped, options.memory_bytes, MADV_DONTFORK);
  ::madvise(mapped, options.memory_bytes, MADV_DONTDUMP);

  link->pid_ = Spawn(options, theirs.get(), memory.get(), control.get(), why);
  if (link->pid_ < 0) return nullptr;
  theirs.Reset();
  link->socket_ = ours.Release();

  Message ready{};
  std::vector<std::byte> payload;
  int descriptor = -1;
  if (!Readable(link->socket_, kStartLimit) ||
      ReceiveMessage(link->socket_, ready, payload, descriptor, false) != Received::kMessage ||
      ready.kind != MessageKind::kReady) {
    *why = options.program + " ended before it was ready";
    return nullptr;
  }
  if (ready.a == 0) {
    *why = std::string(reinterpret_cast<const char*>(payload.data()), payload.size());
    return nullptr;
  }
  link->ticks_per_ms_ = ready.a;
  return link;
}

DeviceLink::~DeviceLink() {
  if (socket_ >= 0) ::close(socket_);  // what the device process ends at
  if (pid_ > 0) {
    const auto deadline = steady_clock::now() + kEndLimit;
    bool killed = false;
    for (;;) {
      const pid_t ended = ::waitpid(pid_, nullptr, WNOHANG);
      if (ended == pid_ || (ended < 0 && errno != EINTR)) break;
      if (!killed && steady_clock::now() > deadline) {
        ::kill(pid_, SIGKILL);
        killed = true;
      }
      ::usleep(500);
    }
  }
  if (control_ != nullptr) ::munmap(control_, sizeof(Control));
  if (memory_ != nullptr) ::munmap(memory_, memory_bytes_);
}

void DeviceLink::Close() { ::shutdown(socket_, SHUT_RDWR); }

void DeviceLink::AbandonAfterFork() {
  ::close(socket_);
  socket_ = -1;
  pid_ = -1;
  memory_ = nullptr;
}

bool DeviceLink::Alive() const {
  if (lost_) return false;
  pollfd state{socket_, 0, 0};
  if (::poll(&state, 1, 0) > 0) lost_ = true;
  return !lost_;
}

bool DeviceLink::Tell(const Message& message, int descriptor) {
  common::MutexLock lock(send_);
  return SendMessage(socket_, message, nullptr, 0, descriptor);
}

uint64_t DeviceLink::Enqueue(Message message, const void* payload, size_t bytes, int descriptor) {
  common::MutexLock lock(send_);
  message.sequence = sequence_ + 1;
  if (!SendMessage(socket_, message, payload, bytes, descriptor)) return 0;
  return ++sequence_;
}

uint64_t DeviceLink::last_enqueued() const {
  common::MutexLock lock(send_);
  return sequence_;
}

Waited DeviceLink::Wait(uint64_t sequence, Deadline deadline) const {
  for (;;) {
    const uint32_t turn = control_->turn.load(std::memory_order_acquire);
    if (completed() >= sequence) return Waited::kDone;
    if (!Alive()) return completed() >= sequence ? Waited::kDone : Waited::kLost;
    const auto now = steady_clock::now();
    if (now >= deadline) return Waited::kTimeout;
    auto slice = std::chrono::nanoseconds(kSlice);
    if (deadline - now < slice) slice = deadline - now;
    const timespec limit{0, static_cast<long>(slice.count())};
    ::syscall(SYS_futex, &control_->turn, FUTEX_WAIT, turn, &limit, nullptr, 0);
  }
}

bool DeviceLink::Ask(const Message& question, Message& answer, std::string& payload) {
  if (!Tell(question)) return false;
  std::vector<std::byte> bytes;
  int descriptor = -1;
  if (ReceiveMessage(socket_, answer, bytes, descriptor, true) != Received::kMessage) return false;
  if (descriptor >= 0) ::close(descriptor);
  payload.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return true;
}

void DeviceLink::Collect(const std::function<void(Notice)>& take) {
  common::MutexLock lock(ask_);
  while (collected_ < control_->notices.load(std::memory_order_acquire)) {
    Message answer{};
    std::string text;
    if (!Ask({.kind = MessageKind::kCollect}, answer, text) || answer.b == 0) return;
    ++collected_;
    take({static_cast<NoticeKind>(answer.b), answer.stream, answer.c, static_cast<int>(answer.d), std::move(text)});
  }
}

std::string DeviceLink::Report(uint64_t* last) {
  common::MutexLock lock(ask_);
  std::string report;
  *last = 0;
  for (;;) {
    Message answer{};
    std::string piece;
    if (!Ask({.kind = MessageKind::kReport, .b = report.size()}, answer, piece)) return "";
    report += piece;
    *last = answer.b;
    if (piece.empty() || report.size() >= answer.a) return report;
  }
}

void DeviceLink::Forget(uint64_t last) {
  common::MutexLock lock(ask_);
  Message answer{};
  std::string nothing;
  Ask({.kind = MessageKind::kReport, .a = 1, .b = last}, answer, nothing);
}

}  // namespace kernelsmith::emulator::acl
