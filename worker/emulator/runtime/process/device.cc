#include "worker/emulator/runtime/process/device.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "worker/emulator/runtime/error_text.h"
#include "worker/emulator/runtime/process/image_flags.h"

namespace kernelsmith::emulator {
namespace {

using std::chrono::steady_clock;

constexpr int kTaskAborted = 107022;

std::string DescriptorPath(int descriptor) { return absl::StrCat("/proc/self/fd/", descriptor); }

// A kernel finds the descriptor of its image; it must not change it for the next launch.
int ReadOnly(int descriptor) {
  const int reading = ::open(DescriptorPath(descriptor).c_str(), O_RDONLY | O_CLOEXEC);
  ::close(descriptor);
  return reading;
}

}  // namespace

Device::Device(v1::Soc soc, const DeviceOptions& options)
    : soc_(std::move(soc)), options_(options), clock_(soc_), findings_(options.number) {}

Device::~Device() {
  for (const auto& [number, image] : images_) ::close(image.descriptor);
}

void Device::Run() {
  SendMessage(options_.socket, {.kind = MessageKind::kReady, .a = clock_.ticks_per_ms()}, nullptr, 0, -1);
  for (;;) {
    while (running_ == nullptr && !queue_.empty()) Advance();
    WaitForEvents();
    if (!ReadMessages()) break;
    if (running_ == nullptr) continue;
    running_->executor->Read();
    if (!running_->executor->Ended() && steady_clock::now() >= running_->deadline) {
      running_->executor->Kill(
          absl::StrCat("the kernel did not end within ", running_->wall.count(), " ms of real time"));
      running_->deadline = steady_clock::time_point::max();
    }
    if (running_->executor->Ended()) FinishLaunch();
  }
  running_.reset();
  std::vector<Allocation> left;
  for (const auto& [address, bytes] : allocations_) left.push_back({address, bytes});
  findings_.Leaks(left);
}

void Device::WaitForEvents() {
  std::vector<pollfd> waiting = {{options_.socket, POLLIN, 0}};
  int timeout = -1;
  if (running_ != nullptr) {
    waiting.push_back({running_->executor->result_descriptor(), POLLIN, 0});
    waiting.push_back({running_->executor->console_descriptor(), POLLIN, 0});
    if (running_->deadline != steady_clock::time_point::max()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(running_->deadline - steady_clock::now());
      timeout = static_cast<int>(std::clamp<int64_t>(left.count(), 0, 3600 * 1000));
    }
  }
  ::poll(waiting.data(), waiting.size(), timeout);
}

bool Device::ReadMessages() {
  for (;;) {
    Message message{};
    std::vector<std::byte> payload;
    int descriptor = -1;
    switch (ReceiveMessage(options_.socket, message, payload, descriptor, false)) {
      case Received::kMessage:
        Handle(message, std::move(payload), descriptor);
        break;
      case Received::kNothing:
        return true;
      case Received::kGone:
        return false;
    }
  }
}

void Device::Handle(const Message& message, std::vector<std::byte> payload, int descriptor) {
  switch (message.kind) {
    case MessageKind::kImage:
      descriptor = ReadOnly(descriptor);
      images_[message.a] = {descriptor, ReadImageFlags(DescriptorPath(descriptor)).auto_sync};
      return;
    case MessageKind::kAllocate:
      allocations_[message.a] = message.b;
      return;
    case MessageKind::kFree:
      allocations_.erase(message.a);
      return;
    case MessageKind::kStreamMode:
      stopping_.insert(message.stream);
      return;
    case MessageKind::kDropStream:
      Drop(false, message.stream);
      return;
    case MessageKind::kAbort:
      Drop(true, 0);
      return;
    case MessageKind::kTimeOut:
      timeout_us_ = message.a;
      return;
    case MessageKind::kCollect:
    case MessageKind::kReport:
      Answer(message);
      return;
    default:
      payload.shrink_to_fit();
      // Descriptors are few, and a program may enqueue any number of copies.
      std::unique_ptr<MappedFile> file;
      if (descriptor >= 0) file = std::make_unique<MappedFile>(descriptor, message.b);
      queue_.push_back({message, std::move(payload), std::move(file)});
  }
}

void Device::Answer(const Message& question) {
  if (question.kind == MessageKind::kCollect) {
    const PostedNotice notice = notices_.Take().value_or(PostedNotice{});
    const Message answer{.kind = MessageKind::kNotice,
                         .stream = notice.stream,
                         .a = notices_.waiting(),
                         .b = static_cast<uint64_t>(notice.kind),
                         .c = notice.sequence,
                         .d = static_cast<uint64_t>(notice.code)};
    SendMessage(options_.socket, answer, notice.text.data(), notice.text.size(), -1);
    return;
  }
  if (question.a == 1) {
    log_.Forget(question.b);
    SendMessage(options_.socket, {.kind = MessageKind::kReported}, nullptr, 0, -1);
    return;
  }
  if (question.b == 0) {  // the pieces that follow are of the same text, whatever ends meanwhile
    report_ = log_.Report();
    reported_ = log_.last();
  }
  const size_t from = std::min<size_t>(question.b, report_.size());
  const size_t piece = std::min(kMaxPayload, report_.size() - from);
  SendMessage(options_.socket, {.kind = MessageKind::kReported, .a = report_.size(), .b = reported_},
              report_.data() + from, piece, -1);
}

// Tasks keep their place, so that sequence numbers do, but do nothing.
void Device::Drop(bool everything, uint32_t stream) {
  const auto concerned = [&](const Message& task) { return everything || task.stream == stream; };
  if (running_ != nullptr && concerned(running_->task.message)) {
    running_->aborted = true;
    running_->executor->Kill("ended by the program");
  }
  std::set<uint32_t> streams;
  for (Task& task : queue_) {
    if (!concerned(task.message)) continue;
    if (everything && streams.insert(task.message.stream).second) {
      Fail(task.message, kTaskAborted, "the task was aborted (aclrtDeviceTaskAbort)");
    }
    task.file.reset();
    task.message.kind = MessageKind::kFill;
    task.message.b = 0;
  }
}

void Device::Advance() {
  Task task = std::move(queue_.front());
  queue_.pop_front();
  const bool skipped = broken_.contains(task.message.stream);
  if (!skipped && task.message.kind == MessageKind::kLaunch) {
    StartLaunch(std::move(task));
    return;
  }
  if (!skipped && task.message.kind == MessageKind::kRecord && task.message.a < kMaxEvents) {
    EventStamp& stamp = options_.control->stamps[task.message.a];
    stamp.ticks.store(clock_.ticks(), std::memory_order_release);
    stamp.sequence.store(task.message.sequence, std::memory_order_release);
  } else if (!skipped && task.message.kind != MessageKind::kRecord) {
    Copy(task);
  }
  Complete(task.message);
}

void Device::Fail(const Message& task, int code, const std::string& text) {
  if (stopping_.contains(task.stream)) broken_.insert(task.stream);
  options_.control->notices.fetch_add(notices_.PostFailure(task.stream, task.sequence, code, text),
                                      std::memory_order_release);
}

void Device::Complete(const Message& task) {
  options_.control->completed.store(task.sequence, std::memory_order_release);
  options_.control->turn.fetch_add(1, std::memory_order_release);
  ::syscall(SYS_futex, &options_.control->turn, FUTEX_WAKE, 1 << 30, nullptr, nullptr, 0);
}

bool Device::InMemory(uint64_t address, uint64_t bytes) const {
  const uint64_t offset = address - options_.memory_base;
  return address >= options_.memory_base && offset <= options_.memory_bytes && bytes <= options_.memory_bytes - offset;
}

}  // namespace kernelsmith::emulator
