// Tasks of the emulated card: copies and launches.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "worker/emulator/runtime/error_text.h"
#include "worker/emulator/runtime/process/device.h"
#include "worker/emulator/runtime/process/limits.h"
#include "worker/emulator/runtime/process/verdict.h"

namespace kernelsmith::emulator {
namespace {

using std::chrono::steady_clock;

constexpr int kInternalError = 507000;
constexpr int kDmaError = 507013;
constexpr int kKernelLookup = 507027;
constexpr int kTaskAborted = 107022;
constexpr uint32_t kMaxArguments = 8192;

void* Memory(uint64_t address) { return reinterpret_cast<void*>(address); }

}  // namespace

MappedFile::MappedFile(int descriptor, uint64_t bytes) : bytes_(bytes) {
  void* const data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (data != MAP_FAILED) data_ = data;
  ::close(descriptor);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

void Device::Copy(const Task& task) {
  const Message& m = task.message;
  if (m.b == 0) return;
  if (!InMemory(m.a, m.b) || (m.kind == MessageKind::kCopyWithin && !InMemory(m.c, m.b))) {
    Fail(m, kDmaError,
         ErrorText("EZ9999", options_.client, ErrorTime(), "a copy lies outside the memory of the device"));
    return;
  }
  switch (m.kind) {
    case MessageKind::kFill:
      std::memset(Memory(m.a), static_cast<int>(m.c), m.b);
      clock_.AddFill(m.b);
      return;
    case MessageKind::kCopyWithin:
      std::memmove(Memory(m.a), Memory(m.c), m.b);
      clock_.AddDeviceCopy(m.b);
      return;
    case MessageKind::kCopyIn:
    case MessageKind::kCopyOut: {
      if (task.file == nullptr || task.file->data() == nullptr) {
        Fail(m, kDmaError,
             ErrorText("EZ9999", options_.client, ErrorTime(), "no address space for an asynchronous copy"));
        return;
      }
      if (m.kind == MessageKind::kCopyIn) {
        std::memcpy(Memory(m.a), task.file->data(), m.b);
      } else {
        std::memcpy(task.file->data(), Memory(m.a), m.b);
      }
      clock_.AddHostCopy(m.b);
      return;
    }
    default:
      return;
  }
}

bool Device::DecodeLaunch(const Task& task, Launch& launch, std::string& why) {
  const Message& m = task.message;
  const auto image = images_.find(m.a);
  const size_t sizes_at = m.name_bytes;
  const size_t values_at = sizes_at + size_t{m.arguments} * sizeof(uint32_t);
  if (image == images_.end() || m.arguments > kMaxArguments || values_at > task.payload.size()) {
    why = "the message of the launch is damaged";
    return false;
  }
  launch.image_path = absl::StrCat("/proc/self/fd/", image->second.descriptor);
  launch.auto_sync = image->second.auto_sync;
  launch.kernel.assign(reinterpret_cast<const char*>(task.payload.data()), m.name_bytes);
  launch.blocks = static_cast<uint32_t>(m.b);
  size_t at = values_at;
  for (uint32_t i = 0; i < m.arguments; ++i) {
    uint32_t size = 0;
    std::memcpy(&size, task.payload.data() + sizes_at + i * sizeof(size), sizeof(size));
    if (size > task.payload.size() - at) {
      why = "the message of the launch is damaged";
      return false;
    }
    launch.arguments.push_back({task.payload.data() + at, size});
    at += size;
  }
  constexpr uint32_t kSlot = 8;
  if (m.d > 0 && !InMemory(m.c, m.d)) {
    why = "the arguments of the launch do not lie in device memory";
    return false;
  }
  for (uint64_t offset = 0; offset + kSlot <= m.d; offset += kSlot) {
    launch.arguments.push_back({Memory(m.c + offset), kSlot});
  }
  return true;
}

void Device::StartLaunch(Task task) {
  auto running = std::make_unique<Running>();
  running->task = std::move(task);
  const Message& m = running->task.message;
  std::string why;
  if (!DecodeLaunch(running->task, running->launch, why)) {
    Fail(m, kKernelLookup, ErrorText("EE9999", options_.client, ErrorTime(), why));
    Complete(m);
    return;
  }
  const LaunchLimits limits = LimitsOf(timeout_us_, soc_, options_.wall_limit_ms);
  running->launch.step_limit = limits.steps;
  running->wall = limits.wall;
  running->deadline = steady_clock::now() + limits.wall;
  GlobalMemory memory;
  for (const auto& [address, bytes] : allocations_) memory.allocations.push_back({address, bytes});
  auto executor = ExecutorProcess::Start(running->launch, soc_, memory, options_.memory_bytes);
  if (!executor.ok()) {
    Fail(m, kInternalError,
         ErrorText("EE9999", options_.client, ErrorTime(), std::string(executor.status().message())));
    Complete(m);
    return;
  }
  running->executor = *std::move(executor);
  running_ = std::move(running);
}

void Device::FinishLaunch() {
  const std::unique_ptr<Running> running = std::move(running_);
  const Message& m = running->task.message;
  const ExecutorEnd end = running->executor->Finish();
  if (running->aborted) {
    Fail(m, kTaskAborted, ErrorText("EE9999", options_.client, ErrorTime(), "the kernel was ended by the program"));
    Complete(m);
    return;
  }
  const LaunchFacts facts = ExamineLaunch(running->launch, end, running->executor->trace(), soc_);
  clock_.AddLaunch(facts.us);
  options_.control->notices.fetch_add(notices_.PostConsole(end.console), std::memory_order_release);
  if (const auto failure = FailureOf(facts, static_cast<uint32_t>(options_.number), m.stream, m.sequence,
                                     options_.client, ErrorTime())) {
    Fail(m, failure->code, failure->text);
  }
  const std::string report = ReportOf(facts);
  findings_.Launch(report);
  log_.Add(report);
  Complete(m);
}

}  // namespace kernelsmith::emulator
