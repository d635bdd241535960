// Slot pools that outlive an evaluation: the next candidate of a task finds memory that is mapped and touched already.
// What an earlier candidate left in the outputs is overwritten before use: verification poisons, timing redraws.
//
// Example:
//   PoolShelf shelf(512 << 20);
//   PoolShelf::Loan pool = *shelf.Take(task_case, 8);     // back on the shelf with the loan
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "common/mutex.h"
#include "kernelsmith/v1/task.pb.h"
#include "worker/runner/slot_pool.h"

namespace kernelsmith::worker {

// Thread-safe. Outlives its loans.
class PoolShelf {
 public:
  class Loan {
   public:
    Loan() = default;
    Loan(PoolShelf* shelf, std::unique_ptr<SlotPool> pool) : shelf_(shelf), pool_(std::move(pool)) {}
    Loan(Loan&& other) noexcept = default;
    Loan& operator=(Loan&& other) noexcept {
      if (this != &other) {
        Return();
        shelf_ = other.shelf_;
        pool_ = std::move(other.pool_);
      }
      return *this;
    }
    ~Loan() { Return(); }
    SlotPool* operator->() const { return pool_.get(); }
    SlotPool& operator*() const { return *pool_; }

   private:
    void Return() {
      if (pool_ != nullptr) shelf_->Return(std::move(pool_));
    }
    PoolShelf* shelf_ = nullptr;
    std::unique_ptr<SlotPool> pool_;
  };

  // Keeps at most `max_bytes` of pools that nobody uses.
  explicit PoolShelf(int64_t max_bytes) : max_bytes_(max_bytes) {}

  // Errors are those of SlotPool::Create.
  absl::StatusOr<Loan> Take(const v1::TaskCase& task_case, int slots);

 private:
  void Return(std::unique_ptr<SlotPool> pool);

  const int64_t max_bytes_;
  common::Mutex mutex_;
  std::list<std::unique_ptr<SlotPool>> idle_ GUARDED_BY(mutex_);  // most recently used first
};

}  // namespace kernelsmith::worker
