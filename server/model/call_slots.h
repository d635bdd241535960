// How many requests an endpoint gets at once.
//
//   ASSIGN_OR_RETURN(CallSlots::Slot slot, slots.Take(cancelled));   // until the slot goes out of scope
#pragma once

#include <utility>

#include "absl/status/statusor.h"
#include "common/mutex.h"
#include "server/model/http_post.h"

namespace kernelsmith::server {

// Thread-safe. Must outlive its slots.
class CallSlots {
 public:
  explicit CallSlots(int count) : free_(count) {}

  class Slot {
   public:
    Slot(Slot&& other) noexcept : slots_(std::exchange(other.slots_, nullptr)) {}
    Slot& operator=(Slot&&) = delete;
    ~Slot() {
      if (slots_ != nullptr) slots_->Return();
    }

   private:
    friend class CallSlots;
    explicit Slot(CallSlots* slots) : slots_(slots) {}
    CallSlots* slots_;
  };

  // Waits for a free slot; CANCELLED once `cancelled` (polled every 20 ms) says so.
  absl::StatusOr<Slot> Take(const CancelCheck& cancelled);

 private:
  void Return();

  common::Mutex mutex_;
  common::CondVar returned_;
  int free_ GUARDED_BY(mutex_);
};

}  // namespace kernelsmith::server
