// The line to one emulated device process, which this starts, and the memory shared with it. Everything that waits
// gives up when the process is gone.
//
// Example:
//   std::string why;
//   auto link = DeviceLink::Start({...}, &why);          // null: why
//   uint64_t task = link->Enqueue({.kind = MessageKind::kFill, ...});
//   if (link->Wait(task, deadline) == Waited::kLost) ...
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "common/mutex.h"
#include "worker/emulator/runtime/message_socket.h"
#include "worker/emulator/runtime/protocol.h"

namespace kernelsmith::emulator::acl {

struct LinkOptions {
  std::string program;  // ks-emulated-device
  std::string soc_path;
  int window = 0;  // of device memory: number of the card in the process
  int device = 0;  // number of the card on the machine, for messages
  uint64_t memory_bytes = 0;
};

enum class Waited { kDone, kTimeout, kLost };

// For ever: Deadline::max().
using Deadline = std::chrono::steady_clock::time_point;

struct Notice {
  NoticeKind kind = NoticeKind::kNone;
  uint32_t stream = 0;
  uint64_t sequence = 0;
  int code = 0;
  std::string text;
};

// Thread-safe.
class DeviceLink {
 public:
  // Null if the process does not start or cannot work; `why` says it.
  static std::unique_ptr<DeviceLink> Start(const LinkOptions& options, std::string* why);
  // Ends the process and gives the memory back.
  ~DeviceLink();
  DeviceLink(const DeviceLink&) = delete;
  DeviceLink& operator=(const DeviceLink&) = delete;

  // False once the process is gone; may take until the next call that waits to notice.
  bool Alive() const;

  // Tells a fact. False if the process is gone.
  bool Tell(const Message& message, int descriptor = -1);
  // Appends a task; its sequence number, or 0 if the process is gone or the payload too large.
  uint64_t Enqueue(Message message, const void* payload = nullptr, size_t bytes = 0, int descriptor = -1);

  uint64_t completed() const { return control_->completed.load(std::memory_order_acquire); }
  uint64_t last_enqueued() const;
  Waited Wait(uint64_t sequence, Deadline deadline) const;

  // Hands every waiting notice to `take`.
  void Collect(const std::function<void(Notice)>& take);
  // The report (kse.h) of what has been completed. `last` is the number of its last launch, for Forget.
  std::string Report(uint64_t* last);
  void Forget(uint64_t last);

  const EventStamp& stamp(uint32_t slot) const { return control_->stamps[slot]; }
  uint64_t ticks_per_ms() const { return ticks_per_ms_; }

  // Lets the process end, and everyone who waits for it give up.
  void Close();

  // In a child of fork: the card stays the parent's. Closes what would keep the process alive.
  void AbandonAfterFork();

 private:
  DeviceLink() = default;
  bool Ask(const Message& question, Message& answer, std::string& payload) EXCLUSIVE_LOCKS_REQUIRED(ask_);

  pid_t pid_ = -1;
  int socket_ = -1;
  void* memory_ = nullptr;
  uint64_t memory_bytes_ = 0;
  Control* control_ = nullptr;
  uint64_t ticks_per_ms_ = 0;
  mutable std::atomic<bool> lost_ = false;

  mutable common::Mutex send_;
  uint64_t sequence_ GUARDED_BY(send_) = 0;
  common::Mutex ask_;  // one question at a time
  uint64_t collected_ GUARDED_BY(ask_) = 0;
};

}  // namespace kernelsmith::emulator::acl
