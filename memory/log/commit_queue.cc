#include "memory/log/commit_queue.h"

#include <utility>

namespace kernelsmith::memory {
namespace {

// Bound the memory and the wait of one write.
constexpr size_t kLargestGroup = 1024;
constexpr size_t kMostGroupBytes = 8 << 20;

}  // namespace

AppendResult CommitQueue::Commit(Fact fact) {
  Waiter self{.prepared = PrepareFact(std::move(fact))};
  bool leads = false;
  {
    common::MutexLock lock(mutex_);
    waiting_.push_back(&self);
    leads = !writing_;
    writing_ = true;
  }
  if (!leads && Await(self) == Turn::kDone) return std::move(self.result);

  Group group = TakeGroup();
  WriteGroup(group);
  HandOver();
  ApplyGroup(group);
  for (Waiter* waiter : group.waiters) {
    if (waiter != &self) Tell(*waiter, Turn::kDone);
  }
  return std::move(self.result);
}

void CommitQueue::Tell(Waiter& waiter, Turn turn) {
  common::MutexLock lock(waiter.mutex);  // held while notifying: the waiter is gone once it has seen its turn
  waiter.turn = turn;
  waiter.changed.NotifyOne();
}

CommitQueue::Turn CommitQueue::Await(Waiter& waiter) {
  common::MutexLock lock(waiter.mutex);
  while (waiter.turn == Turn::kWaits) waiter.changed.Wait(waiter.mutex);
  return waiter.turn;
}

// The caller is the first one.
CommitQueue::Group CommitQueue::TakeGroup() {
  common::MutexLock lock(mutex_);
  Group group{.number = taken_groups_++};
  size_t bytes = 0;
  while (!waiting_.empty() && group.waiters.size() < kLargestGroup && bytes < kMostGroupBytes) {
    group.waiters.push_back(waiting_.front());
    bytes += waiting_.front()->prepared.body.bytes.size();
    waiting_.pop_front();
  }
  return group;
}

void CommitQueue::WriteGroup(Group& group) {
  std::vector<PreparedFact*> facts;
  facts.reserve(group.waiters.size());
  for (Waiter* waiter : group.waiters) facts.push_back(&waiter->prepared);
  std::vector<AppendResult> results = store_.Append(facts);
  for (size_t i = 0; i < group.waiters.size(); ++i) group.waiters[i]->result = std::move(results[i]);
}

void CommitQueue::HandOver() {
  Waiter* next = nullptr;
  {
    common::MutexLock lock(mutex_);
    if (waiting_.empty()) {
      writing_ = false;
    } else {
      next = waiting_.front();
    }
  }
  if (next != nullptr) Tell(*next, Turn::kLeads);
}

void CommitQueue::ApplyGroup(const Group& group) {
  {
    common::MutexLock lock(mutex_);
    while (applied_groups_ != group.number) applied_.Wait(mutex_);
  }
  for (const Waiter* waiter : group.waiters) {
    if (waiter->result.status.ok() && !waiter->result.duplicate) apply_(waiter->prepared.fact);
  }
  common::MutexLock lock(mutex_);
  ++applied_groups_;
  applied_.NotifyAll();
}

}  // namespace kernelsmith::memory
