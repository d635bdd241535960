#include "worker/reference/reference_pool.h"

#include "common/status.h"
#include "worker/reference/task_identity.h"

namespace kernelsmith::worker {

ReferencePool::Lease& ReferencePool::Lease::operator=(Lease&& other) noexcept {
  if (this != &other) {
    Return();
    pool_ = other.pool_;
    hash_ = std::move(other.hash_);
    reference_ = std::move(other.reference_);
  }
  return *this;
}

void ReferencePool::Lease::Return() {
  if (reference_ != nullptr) pool_->Return(std::move(hash_), std::move(reference_));
}

absl::StatusOr<ReferencePool::Lease> ReferencePool::Acquire(const v1::TaskSource& source, TimeLimit& limit,
                                                            std::stop_token stop) {
  std::string hash = TaskHash(source);
  std::unique_ptr<Reference> reference;
  {
    common::MutexLock lock(mutex_);
    for (auto entry = idle_.begin(); entry != idle_.end(); ++entry) {
      if (entry->hash != hash) continue;
      reference = std::move(entry->reference);
      idle_.erase(entry);
      break;
    }
  }
  if (reference != nullptr && reference->process().Running()) {
    return Lease(this, std::move(hash), std::move(reference));
  }
  ASSIGN_OR_RETURN(reference, Reference::Start(source, options_, limit, std::move(stop)));
  return Lease(this, std::move(hash), std::move(reference));
}

void ReferencePool::Return(std::string hash, std::unique_ptr<Reference> reference) {
  if (!reference->alive()) return;
  std::list<Idle> ended;  // destroyed, and so killed, without the lock
  common::MutexLock lock(mutex_);
  idle_.push_front({std::move(hash), std::move(reference)});
  while (static_cast<int>(idle_.size()) > idle_limit_) ended.splice(ended.begin(), idle_, std::prev(idle_.end()));
}

void ReferencePool::Clear() {
  std::list<Idle> ended;
  common::MutexLock lock(mutex_);
  ended.swap(idle_);
}

}  // namespace kernelsmith::worker
