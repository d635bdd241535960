#include "worker/emulator/runtime/client/card.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace kernelsmith::emulator::acl {
namespace {

// Gives whole pages back to the machine; the block reads as zeros if it is ever used again.
void ReleasePages(uint64_t address, uint64_t bytes) {
  const uint64_t page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  const uint64_t begin = (address + page - 1) / page * page;
  const uint64_t end = (address + bytes) / page * page;
  if (end > begin) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_REMOVE);
}

}  // namespace

uint64_t Card::Allocate(uint64_t bytes) {
  common::MutexLock lock(mutex_);
  const std::optional<uint64_t> address = space_.Allocate(bytes);
  if (!address) return 0;
  link_->Tell({.kind = MessageKind::kAllocate, .a = *address, .b = bytes});
  return *address;
}

bool Card::Free(uint64_t address) {
  common::MutexLock lock(mutex_);
  const std::optional<AddressSpace::Block> block = space_.Free(address);
  if (!block) return false;
  link_->Tell({.kind = MessageKind::kFree, .a = address});
  ReleasePages(block->address, block->taken);
  return true;
}

bool Card::Holds(const void* address, uint64_t bytes) const {
  common::MutexLock lock(mutex_);
  return space_.Holding(reinterpret_cast<uint64_t>(address), bytes) != nullptr;
}

bool Card::InWindow(const void* address) const {
  common::MutexLock lock(mutex_);
  return space_.InWindow(reinterpret_cast<uint64_t>(address));
}

void Card::MemoryInfo(uint64_t* free, uint64_t* total) const {
  common::MutexLock lock(mutex_);
  *free = space_.free();
  *total = space_.total();
}

void Card::AfterTask(uint64_t sequence, std::function<void()> action) {
  common::MutexLock lock(mutex_);
  const auto place = std::upper_bound(due_.begin(), due_.end(), sequence,
                                      [](uint64_t value, const Due& due) { return value < due.sequence; });
  due_.insert(place, {sequence, std::move(action)});
}

void Card::Settle() {
  link_->Collect([this](const Notice& notice) {
    if (notice.kind == NoticeKind::kConsole) {
      std::fwrite(notice.text.data(), 1, notice.text.size(), stdout);
      std::fflush(stdout);
    } else if (notice.kind == NoticeKind::kFailure) {
      common::MutexLock lock(mutex_);
      failures_[notice.stream].push_back({notice.sequence, {notice.code, notice.text}});
    }
  });
  std::vector<Due> now;
  {
    common::MutexLock lock(mutex_);
    while (!due_.empty() && due_.front().sequence <= link_->completed()) {
      now.push_back(std::move(due_.front()));
      due_.pop_front();
    }
  }
  for (const Due& due : now) due.action();
}

std::optional<Failure> Card::TakeFailure(uint32_t stream, uint64_t up_to) {
  common::MutexLock lock(mutex_);
  const auto kept = failures_.find(stream);
  std::optional<Failure> first;
  if (kept == failures_.end()) return first;
  std::deque<KeptFailure>& failures = kept->second;
  while (!failures.empty() && failures.front().sequence <= up_to) {
    if (!first) first = std::move(failures.front().failure);
    failures.pop_front();
  }
  return first;
}

void Card::ForgetStream(uint32_t stream) {
  common::MutexLock lock(mutex_);
  failures_.erase(stream);
}

uint32_t Card::NewStream() {
  common::MutexLock lock(mutex_);
  return ++streams_;
}

std::optional<uint32_t> Card::NewEvent() {
  common::MutexLock lock(mutex_);
  if (!free_events_.empty()) {
    const uint32_t slot = free_events_.back();
    free_events_.pop_back();
    return slot;
  }
  if (events_ == kMaxEvents) return std::nullopt;
  return events_++;
}

void Card::ReturnEvent(uint32_t slot) {
  common::MutexLock lock(mutex_);
  free_events_.push_back(slot);
}

bool Card::MustSendImage(uint64_t image) {
  common::MutexLock lock(mutex_);
  return images_.insert(image).second;
}

}  // namespace kernelsmith::emulator::acl
