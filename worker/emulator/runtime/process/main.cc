// ks-emulated-device: one emulated card for one client, started by libascendcl.so and by nothing else.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "worker/emulator/runtime/message_socket.h"
#include "worker/emulator/runtime/process/device.h"
#include "worker/emulator/runtime/process/lifeline.h"
#include "worker/emulator/soc/soc.h"

namespace {

using namespace kernelsmith::emulator;  // NOLINT(google-build-using-namespace)

int Refuse(const std::string& why) {
  SendMessage(kSocketDescriptor, {.kind = MessageKind::kReady, .a = 0}, why.data(), why.size(), -1);
  return 1;
}

// An image takes one for good.
void RaiseDescriptorLimit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

std::string Mapped(const char* what) {
  return absl::StrCat("the emulated device cannot map its ", what, ": ", std::strerror(errno));
}

}  // namespace

int main(int argc, char** argv) {
  int device = 0;
  int window = 0;
  int client = 0;
  uint64_t bytes = 0;
  if (argc != 6 || !absl::SimpleAtoi(argv[2], &device) || !absl::SimpleAtoi(argv[3], &window) ||
      !absl::SimpleAtoi(argv[4], &bytes) || !absl::SimpleAtoi(argv[5], &client)) {
    std::fputs("ks-emulated-device is started by libascendcl.so of the emulated CANN\n", stderr);
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  ::close_range(kControlDescriptor + 1, ~0U, 0);  // what the client had open
  RaiseDescriptorLimit();
  for (const int fd : {kSocketDescriptor, kMemoryDescriptor, kControlDescriptor}) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  WatchClient(kSocketDescriptor, client);

  const auto soc = LoadSoc(argv[1]);
  if (!soc.ok()) return Refuse(std::string(soc.status().message()));
  const uint64_t base = kDeviceMemoryBase + static_cast<uint64_t>(window) * kDeviceMemoryWindow;
  void* const memory = ::mmap(reinterpret_cast<void*>(base), bytes, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, kMemoryDescriptor, 0);
  if (memory == MAP_FAILED) return Refuse(Mapped("memory"));
  void* const control = ::mmap(nullptr, sizeof(Control), PROT_READ | PROT_WRITE, MAP_SHARED, kControlDescriptor, 0);
  if (control == MAP_FAILED) return Refuse(Mapped("shared memory"));
  ::madvise(memory, bytes, MADV_DONTDUMP);

  DeviceOptions options;
  options.number = device;
  options.memory_base = base;
  options.memory_bytes = bytes;
  options.client = client;
  options.control = static_cast<Control*>(control);
  if (const char* limit = std::getenv("KERNELSMITH_EMULATED_WALL_LIMIT_MS"); limit != nullptr) {
    uint64_t ms = 0;
    if (absl::SimpleAtoi(limit, &ms)) options.wall_limit_ms = ms;
  }
  Device(*soc, options).Run();
  return 0;
}
