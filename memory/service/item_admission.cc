#include "memory/service/item_admission.h"

#include <algorithm>
#include <utility>

#include "memory/values/near_duplicate.h"

namespace kernelsmith::memory {

ItemAdmission::Place ItemAdmission::Enter(OnItsWay item) {
  const common::MutexLock lock(mutex_);
  while (IsOnItsWay(item)) left_.Wait(mutex_);
  return on_their_way_.insert(on_their_way_.end(), std::move(item));
}

bool ItemAdmission::IsOnItsWay(const OnItsWay& item) const {
  return std::any_of(on_their_way_.begin(), on_their_way_.end(), [&item](const OnItsWay& other) {
    return other.team == item.team && IsNearDuplicate(other.signature, item.signature);
  });
}

void ItemAdmission::Leave(Place place) {
  const common::MutexLock lock(mutex_);
  on_their_way_.erase(place);
  left_.NotifyAll();
}

}  // namespace kernelsmith::memory
