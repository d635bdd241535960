#include "worker/emulator/runtime/process/executor_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "worker/emulator/device/trace_buffer.h"
#include "worker/emulator/runtime/process/executor_jail.h"

namespace kernelsmith::emulator {
namespace {

constexpr size_t kTraceBytes = size_t{512} << 20;  // address space; pages are taken as they are written
constexpr size_t kSmallestTrace = size_t{1} << 20;
constexpr uint64_t kExecutorBytes = uint64_t{8} << 30;  // address space beside device memory and trace
constexpr size_t kMessageLimit = 4096;

// What the child writes at its end: the LaunchEnd as one byte, then the message.
[[noreturn]] void RunChild(const Launch& launch, const v1::Soc& soc, const GlobalMemory& memory, uint64_t memory_bytes,
                           pid_t parent, int image, int result, int console, std::byte* trace, size_t trace_bytes) {
  std::string message;
  LaunchEnd end = LaunchEnd::kFault;
  if (EnterExecutorJail(parent, {image, result, console}, memory_bytes + trace_bytes + kExecutorBytes)) {
    TraceBuffer buffer(trace, trace_bytes);
    end = ExecuteLaunch(launch, soc, memory, console, buffer, message);
  } else {
    message = "this system has no filter for system calls (seccomp); kernels do not run without";
  }
  message.insert(message.begin(), static_cast<char>(end));
  message.resize(std::min(message.size(), kMessageLimit));
  if (::write(result, message.data(), message.size()) < 0) ::_exit(1);
  ::_exit(0);
}

std::byte* MapTrace(size_t* bytes) {
  for (*bytes = kTraceBytes; *bytes >= kSmallestTrace; *bytes /= 2) {
    void* block = ::mmap(nullptr, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block != MAP_FAILED) return static_cast<std::byte*>(block);
  }
  return nullptr;
}

// Reads until nothing is there. False at the end of the file.
bool Drain(int fd, std::string& bytes, size_t limit, bool* cut) {
  char part[16384];
  for (;;) {
    const ssize_t got = ::read(fd, part, sizeof(part));
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return false;
    const size_t room = limit - std::min(limit, bytes.size());
    bytes.append(part, std::min(room, static_cast<size_t>(got)));
    if (static_cast<size_t>(got) > room) *cut = true;
  }
}

// "/proc/self/fd/7" is open in this process; the child inherits the descriptor.
int ImageDescriptor(const std::string& path) {
  const size_t slash = path.rfind('/');
  return path.compare(0, 14, "/proc/self/fd/") == 0 ? std::atoi(path.c_str() + slash + 1) : STDERR_FILENO;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ExecutorProcess>> ExecutorProcess::Start(const Launch& launch, const v1::Soc& soc,
                                                                        const GlobalMemory& memory,
                                                                        uint64_t memory_bytes) {
  std::unique_ptr<ExecutorProcess> executor(new ExecutorProcess);
  executor->trace_ = MapTrace(&executor->trace_bytes_);
  if (executor->trace_ == nullptr) return absl::ResourceExhaustedError("no address space for the trace of a launch");
  int result[2] = {-1, -1};
  int console[2] = {-1, -1};
  if (::pipe2(result, O_CLOEXEC) != 0 || ::pipe2(console, O_CLOEXEC) != 0) {
    if (result[0] >= 0) ::close(result[0]);
    if (result[1] >= 0) ::close(result[1]);
    return absl::ResourceExhaustedError("no descriptors for a launch");
  }
  executor->result_ = result[0];
  executor->console_ = console[0];
  ::fcntl(result[0], F_SETFL, O_NONBLOCK);
  ::fcntl(console[0], F_SETFL, O_NONBLOCK);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) {
    RunChild(launch, soc, memory, memory_bytes, parent, ImageDescriptor(launch.image_path), result[1], console[1],
             executor->trace_, executor->trace_bytes_);
  }
  ::close(result[1]);
  ::close(console[1]);
  if (pid < 0) return absl::ResourceExhaustedError(absl::StrCat("no process for a launch: ", std::strerror(errno)));
  executor->pid_ = pid;
  return executor;
}

ExecutorProcess::~ExecutorProcess() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (result_ >= 0) ::close(result_);
  if (console_ >= 0) ::close(console_);
  if (trace_ != nullptr) ::munmap(trace_, trace_bytes_);
}

void ExecutorProcess::Read() {
  bool cut = false;
  const bool console_open = Drain(console_, console_bytes_, kConsoleLimit, &console_cut_);
  const bool result_open = Drain(result_, result_bytes_, kMessageLimit, &cut);
  // Both ends close when the process ends; it cannot have left a child behind that holds them.
  ended_ = !console_open || !result_open;
}

void ExecutorProcess::Kill(const std::string& message) {
  if (killed_because_.empty()) killed_because_ = message;
  ::kill(pid_, SIGKILL);
}

ExecutorEnd ExecutorProcess::Finish() {
  int status = 0;
  // A descriptor closed by the kernel itself is the kernel's fault, not a reason to wait.
  if (::waitpid(pid_, &status, WNOHANG) == 0) {
    pollfd rest[] = {{result_, POLLIN, 0}};
    ::poll(rest, 1, 1000);
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  pid_ = -1;
  bool cut = false;
  Drain(console_, console_bytes_, kConsoleLimit, &console_cut_);
  Drain(result_, result_bytes_, kMessageLimit, &cut);
  ExecutorEnd end;
  end.console = std::move(console_bytes_);
  if (console_cut_) end.console += "\n[emulated-cann] the rest of the output of this launch was cut\n";
  if (!killed_because_.empty()) {
    end.end = LaunchEnd::kTimeout;
    end.message = killed_because_;
  } else if (!result_bytes_.empty() &&
             static_cast<uint8_t>(result_bytes_[0]) <= static_cast<uint8_t>(LaunchEnd::kUnknownKernel)) {
    end.end = static_cast<LaunchEnd>(result_bytes_[0]);
    end.message = result_bytes_.substr(1);
  } else {
    end.end = LaunchEnd::kFault;
    end.message = WIFSIGNALED(status) ? absl::StrCat("the kernel's code was ended by signal ", WTERMSIG(status), " (",
                                                     ::strsignal(WTERMSIG(status)), ")")
                                      : "the kernel's code ended the process it ran in";
  }
  return end;
}

}  // namespace kernelsmith::emulator
