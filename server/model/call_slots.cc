#include "server/model/call_slots.h"

namespace kernelsmith::server {

absl::StatusOr<CallSlots::Slot> CallSlots::Take(const CancelCheck& cancelled) {
  for (;;) {
    if (cancelled && cancelled()) return absl::CancelledError("cancelled while it waited for its turn at the model");
    common::MutexLock lock(mutex_);
    if (free_ == 0) returned_.WaitFor(mutex_, absl::Milliseconds(20));
    if (free_ == 0) continue;
    --free_;
    return Slot(this);
  }
}

void CallSlots::Return() {
  common::MutexLock lock(mutex_);
  ++free_;
  returned_.NotifyOne();
}

}  // namespace kernelsmith::server
