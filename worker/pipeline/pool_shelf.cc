#include "worker/pipeline/pool_shelf.h"

#include "common/status.h"
#include "google/protobuf/util/message_differencer.h"

namespace kernelsmith::worker {

absl::StatusOr<PoolShelf::Loan> PoolShelf::Take(const v1::TaskCase& task_case, int slots) {
  {
    common::MutexLock lock(mutex_);
    for (auto entry = idle_.begin(); entry != idle_.end(); ++entry) {
      if ((*entry)->slots() != slots) continue;
      if (!google::protobuf::util::MessageDifferencer::Equals((*entry)->task_case(), task_case)) continue;
      Loan loan(this, std::move(*entry));
      idle_.erase(entry);
      return loan;
    }
  }
  ASSIGN_OR_RETURN(std::unique_ptr<SlotPool> pool, SlotPool::Create(task_case, slots));
  return Loan(this, std::move(pool));
}

void PoolShelf::Return(std::unique_ptr<SlotPool> pool) {
  std::list<std::unique_ptr<SlotPool>> dropped;  // freed without the lock
  common::MutexLock lock(mutex_);
  idle_.push_front(std::move(pool));
  int64_t total = 0;
  for (auto entry = idle_.begin(); entry != idle_.end();) {
    total += (*entry)->total_bytes();
    auto next = std::next(entry);
    if (total > max_bytes_) dropped.splice(dropped.begin(), idle_, entry);
    entry = next;
  }
}

}  // namespace kernelsmith::worker
