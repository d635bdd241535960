// Groups the facts of concurrent writers into one synced write, then applies them in sequence order.
//
//   CommitQueue queue(*store, [&](const Fact& fact) { state.Apply(fact); });
//   AppendResult result = queue.Commit(fact);   // durable and applied, or an error
//
// The first waiting writer leads: it writes everything that waits, while later writers gather for the next turn. Under
// load one disk sync thus serves many writers, and a single writer waits for nobody.
#pragma once

#include <deque>
#include <functional>

#include "common/mutex.h"
#include "memory/log/fact_store.h"

namespace kernelsmith::memory {

class CommitQueue {
 public:
  // `apply` sees each new fact once, in sequence order, from one thread at a time and without a lock held.
  CommitQueue(FactStore& store, std::function<void(const Fact&)> apply) : store_(store), apply_(std::move(apply)) {}

  // Returns when the fact is durable and applied, known as a duplicate, or refused. Thread-safe.
  AppendResult Commit(Fact fact);

 private:
  struct Waiter {
    Fact fact;
    AppendResult result;
    bool done = false;
  };

  FactStore& store_;
  const std::function<void(const Fact&)> apply_;
  common::Mutex mutex_;
  common::CondVar changed_;
  std::deque<Waiter*> waiting_ GUARDED_BY(mutex_);  // the front one leads once nobody writes
  bool writing_ GUARDED_BY(mutex_) = false;
};

}  // namespace kernelsmith::memory
