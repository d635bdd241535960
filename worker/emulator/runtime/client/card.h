// One card while a process uses it: its device process, memory, and what has to happen in this process when tasks end.
// Thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/mutex.h"
#include "worker/emulator/runtime/client/address_space.h"
#include "worker/emulator/runtime/client/device_link.h"

namespace kernelsmith::emulator::acl {

struct Failure {
  int code = 0;
  std::string text;
};

class Card {
 public:
  Card(int number, std::unique_ptr<DeviceLink> link, uint64_t memory_bytes)
      : number_(number),
        link_(std::move(link)),
        space_(kDeviceMemoryBase + static_cast<uint64_t>(number) * kDeviceMemoryWindow, memory_bytes) {}

  int number() const { return number_; }
  DeviceLink& link() { return *link_; }

  // Memory. 0 if there is none.
  uint64_t Allocate(uint64_t bytes);
  // False if no block began there.
  bool Free(uint64_t address);
  // True if the range lies in one block.
  bool Holds(const void* address, uint64_t bytes) const;
  bool InWindow(const void* address) const;
  void MemoryInfo(uint64_t* free, uint64_t* total) const;

  // Runs `action` in this process once the task is over, at the next Settle.
  void AfterTask(uint64_t sequence, std::function<void()> action);

  // Takes notices and runs the actions that are due: kernels' output is printed, failures are kept by stream.
  void Settle();
  // The first failure kept for a stream up to a task, which this forgets.
  std::optional<Failure> TakeFailure(uint32_t stream, uint64_t up_to);
  void ForgetStream(uint32_t stream);

  uint32_t NewStream();
  // Nothing if all are in use.
  std::optional<uint32_t> NewEvent();
  void ReturnEvent(uint32_t slot);

  // True for the first caller with this image: it must be sent.
  bool MustSendImage(uint64_t image);

 private:
  struct Due {
    uint64_t sequence;
    std::function<void()> action;
  };
  struct KeptFailure {
    uint64_t sequence;
    Failure failure;
  };

  const int number_;
  const std::unique_ptr<DeviceLink> link_;
  mutable common::Mutex mutex_;
  AddressSpace space_ GUARDED_BY(mutex_);
  std::deque<Due> due_ GUARDED_BY(mutex_);  // by sequence
  std::map<uint32_t, std::deque<KeptFailure>> failures_ GUARDED_BY(mutex_);
  uint32_t streams_ GUARDED_BY(mutex_) = 0;
  uint32_t events_ GUARDED_BY(mutex_) = 0;
  std::vector<uint32_t> free_events_ GUARDED_BY(mutex_);
  std::set<uint64_t> images_ GUARDED_BY(mutex_);
};

}  // namespace kernelsmith::emulator::acl
