#include "memory/log/commit_queue.h"

#include <pthread.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

namespace kernelsmith::memory {
namespace {

// Bound the memory and the wait of one write.
constexpr size_t kLargestGroup = 1024;
constexpr size_t kMostGroupBytes = 8 << 20;

}  // namespace

CommitQueue::CommitQueue(FactStore& store, std::function<void(const Fact&)> apply)
    : store_(store), apply_(std::move(apply)), writer_([this] { WriteLoop(); }), applier_([this] { ApplyLoop(); }) {}

CommitQueue::~CommitQueue() {
  {
    const common::MutexLock lock(mutex_);
    closed_ = true;
    arrived_.NotifyOne();
  }
  writer_.join();
  applier_.join();
}

void CommitQueue::Start(Fact fact, std::function<void(AppendResult)> done) {
  Pending pending{.prepared = PrepareFact(std::move(fact)), .result = {}, .done = std::move(done)};
  const common::MutexLock lock(mutex_);
  waiting_.push_back(std::move(pending));
  if (waiting_.size() == 1) arrived_.NotifyOne();
}

void CommitQueue::StartAll(std::vector<Fact> facts, std::function<void(size_t, AppendResult)> done) {
  if (facts.empty()) return;
  const auto told = std::make_shared<const std::function<void(size_t, AppendResult)>>(std::move(done));
  std::vector<Pending> all;
  all.reserve(facts.size());
  for (size_t i = 0; i < facts.size(); ++i) {
    Pending& pending = all.emplace_back();
    pending.prepared = PrepareFact(std::move(facts[i]));
    pending.done = [told, i](AppendResult result) { (*told)(i, std::move(result)); };
  }
  const common::MutexLock lock(mutex_);
  if (waiting_.empty()) arrived_.NotifyOne();
  std::move(all.begin(), all.end(), std::back_inserter(waiting_));
}

AppendResult CommitQueue::Commit(Fact fact) {
  struct Answer {
    common::Mutex mutex;
    common::CondVar given;
    std::optional<AppendResult> result GUARDED_BY(mutex);
  } answer;
  Start(std::move(fact), [&answer](AppendResult result) {
    const common::MutexLock lock(answer.mutex);  // held while notifying: the answer is gone once it was seen
    answer.result = std::move(result);
    answer.given.NotifyOne();
  });
  const common::MutexLock lock(answer.mutex);
  while (!answer.result.has_value()) answer.given.Wait(answer.mutex);
  return *std::move(answer.result);
}

CommitQueue::Group CommitQueue::TakeGroup() {
  Group group;
  size_t bytes = 0;
  const common::MutexLock lock(mutex_);
  while (waiting_.empty() && !closed_) arrived_.Wait(mutex_);
  while (!waiting_.empty() && group.size() < kLargestGroup && bytes < kMostGroupBytes) {
    bytes += waiting_.front().prepared.body.bytes.size();
    group.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  return group;
}

void CommitQueue::WriteGroup(Group& group) {
  std::vector<PreparedFact*> facts;
  facts.reserve(group.size());
  for (Pending& pending : group) facts.push_back(&pending.prepared);
  std::vector<AppendResult> results = store_.Append(facts);
  for (size_t i = 0; i < group.size(); ++i) group[i].result = std::move(results[i]);
}

void CommitQueue::HandOver(Group group) {
  const common::MutexLock lock(mutex_);
  while (written_.has_value()) handover_.Wait(mutex_);
  written_ = std::move(group);
  handover_.NotifyAll();
}

void CommitQueue::WriteLoop() {
  pthread_setname_np(pthread_self(), "memory-write");
  bool more = true;
  while (more) {
    Group group = TakeGroup();
    more = !group.empty();
    if (more) WriteGroup(group);
    HandOver(std::move(group));
  }
}

void CommitQueue::ApplyLoop() {
  pthread_setname_np(pthread_self(), "memory-apply");
  while (true) {
    Group group;
    {
      const common::MutexLock lock(mutex_);
      while (!written_.has_value()) handover_.Wait(mutex_);
      group = *std::exchange(written_, std::nullopt);
      handover_.NotifyAll();
    }
    if (group.empty()) return;
    for (const Pending& pending : group) {
      if (pending.result.status.ok() && !pending.result.duplicate) apply_(pending.prepared.fact);
    }
    for (Pending& pending : group) pending.done(std::move(pending.result));
  }
}

}  // namespace kernelsmith::memory
