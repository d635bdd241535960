// Groups the facts of concurrent writers into one synced write, then applies them in sequence order.
//
//   CommitQueue queue(*store, [&](const Fact& fact) { state.Apply(fact); });
//   AppendResult result = queue.Commit(fact);                       // durable and applied, or an error
//   queue.Start(fact, [](AppendResult result) { Answer(result); });  // the same for a caller who does not wait
//
// Two threads: one writes whatever waits as one batch with one disk sync, the other applies the batch before it and
// tells its writers, so that folding and answering cost no disk time. Under load one sync thus serves many writers.
// Facts are serialised and hashed in their writers' threads.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "common/mutex.h"
#include "memory/log/fact_store.h"

namespace kernelsmith::memory {

class CommitQueue {
 public:
  // `apply` sees each new fact once, in sequence order, from one thread and without a lock held.
  CommitQueue(FactStore& store, std::function<void(const Fact&)> apply);
  // Commits what was given to it first. REQUIRES: nobody calls Commit or Start any more.
  ~CommitQueue();
  CommitQueue(const CommitQueue&) = delete;
  CommitQueue& operator=(const CommitQueue&) = delete;

  // Returns when the fact is durable and applied, known as a duplicate of one that is, or refused. Thread-safe.
  AppendResult Commit(Fact fact);

  // Calls `done` then, from a thread of the queue: it must be brief. Thread-safe.
  void Start(Fact fact, std::function<void(AppendResult)> done);

  // The same for several facts, which keep their order: `done` is called once for each, with its place.
  void StartAll(std::vector<Fact> facts, std::function<void(size_t place, AppendResult)> done);

 private:
  struct Pending {
    PreparedFact prepared;
    AppendResult result;
    std::function<void(AppendResult)> done;
  };
  using Group = std::vector<Pending>;

  void WriteLoop();
  void ApplyLoop();
  // Empty once the queue is closed and nothing waits.
  Group TakeGroup();
  void WriteGroup(Group& group);
  // Waits until the group before is taken. An empty group ends ApplyLoop.
  void HandOver(Group group);

  FactStore& store_;
  const std::function<void(const Fact&)> apply_;
  common::Mutex mutex_;
  std::deque<Pending> waiting_ GUARDED_BY(mutex_);
  std::optional<Group> written_ GUARDED_BY(mutex_);  // on its way from WriteLoop to ApplyLoop
  bool closed_ GUARDED_BY(mutex_) = false;
  common::CondVar arrived_;   // waiting_ grew, or closed_
  common::CondVar handover_;  // written_ was set or taken
  std::thread writer_;
  std::thread applier_;
};

}  // namespace kernelsmith::memory
