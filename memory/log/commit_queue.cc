#include "memory/log/commit_queue.h"

#include <utility>

namespace kernelsmith::memory {
namespace {

constexpr size_t kLargestGroup = 256;  // bounds the memory and the wait of one write

}  // namespace

AppendResult CommitQueue::Commit(Fact fact) {
  Waiter self{.fact = std::move(fact)};
  std::vector<Waiter*> group;
  {
    common::MutexLock lock(mutex_);
    waiting_.push_back(&self);
    while (!self.done && (writing_ || waiting_.front() != &self)) changed_.Wait(mutex_);
    if (self.done) return std::move(self.result);
    writing_ = true;
    while (!waiting_.empty() && group.size() < kLargestGroup) {
      group.push_back(waiting_.front());
      waiting_.pop_front();
    }
  }

  // This thread leads: it alone touches the store and the group until `writing_` falls.
  std::vector<Fact*> facts;
  facts.reserve(group.size());
  for (Waiter* waiter : group) facts.push_back(&waiter->fact);
  std::vector<AppendResult> results = store_.Append(facts);
  for (size_t i = 0; i < group.size(); ++i) {
    if (results[i].status.ok() && !results[i].duplicate) apply_(group[i]->fact);
    group[i]->result = std::move(results[i]);
  }

  common::MutexLock lock(mutex_);
  writing_ = false;
  for (Waiter* waiter : group) waiter->done = true;
  changed_.NotifyAll();
  return std::move(self.result);
}

}  // namespace kernelsmith::memory
