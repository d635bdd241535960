// Groups the facts of concurrent writers into one synced write, then applies them in sequence order.
//
//   CommitQueue queue(*store, [&](const Fact& fact) { state.Apply(fact); });
//   AppendResult result = queue.Commit(fact);   // durable and applied, or an error
//
// The first waiting writer leads: it writes everything that waits, while later writers gather for the next turn. Under
// load one disk sync thus serves many writers, and a single writer waits for nobody. A leader hands the store over as
// soon as its group is on disk, so that one group is folded while the next one is written. Facts are serialised and
// hashed in their writers' threads.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "common/mutex.h"
#include "memory/log/fact_store.h"

namespace kernelsmith::memory {

class CommitQueue {
 public:
  // `apply` sees each new fact once, in sequence order, from one thread at a time and without a lock held.
  CommitQueue(FactStore& store, std::function<void(const Fact&)> apply) : store_(store), apply_(std::move(apply)) {}

  // Returns when the fact is durable and applied, known as a duplicate of one that is, or refused. Thread-safe.
  AppendResult Commit(Fact fact);

 private:
  enum class Turn { kWaits, kLeads, kDone };

  struct Waiter {
    PreparedFact prepared;
    AppendResult result;
    common::Mutex mutex;
    common::CondVar changed;
    Turn turn GUARDED_BY(mutex) = Turn::kWaits;
  };
  struct Group {
    uint64_t number = 0;
    std::vector<Waiter*> waiters;
  };

  static void Tell(Waiter& waiter, Turn turn);
  static Turn Await(Waiter& waiter);
  Group TakeGroup();
  void WriteGroup(Group& group);
  void HandOver();
  void ApplyGroup(const Group& group);

  FactStore& store_;
  const std::function<void(const Fact&)> apply_;
  common::Mutex mutex_;
  std::deque<Waiter*> waiting_ GUARDED_BY(mutex_);  // empty unless somebody writes
  bool writing_ GUARDED_BY(mutex_) = false;         // the leader alone touches the store
  uint64_t taken_groups_ GUARDED_BY(mutex_) = 0;
  uint64_t applied_groups_ GUARDED_BY(mutex_) = 0;
  common::CondVar applied_;  // applied_groups_ grew
};

}  // namespace kernelsmith::memory
