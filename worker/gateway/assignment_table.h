// What a worker knows of: its assignments and how far each is. The coordinator's answers and the two executing threads
// change it; the loop reports it whole.
//
//   ACCEPTED -> PREPARING -> PREPARED -> RUNNING -> FINISHED -> (acknowledged) gone
//   ACCEPTED ------------------------->
//
// What the coordinator no longer names is dropped: stopped and never reported again.
#pragma once

#include <list>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "kernelsmith/v1/worker.pb.h"
#include "worker/gateway/executor.h"

namespace kernelsmith::worker {

struct HeldAssignment {
  v1::Assignment assignment;
  v1::AssignmentPhase phase = v1::ACCEPTED;
  std::string activity;
  std::stop_source stop;
  bool busy = false;       // a thread is at it
  bool cancelled = false;  // stopped; its end is still reported
  bool dropped = false;    // stopped; nobody wants to hear of it
  Execution execution;     // with FINISHED
  size_t logs_uploaded = 0;
};
using HeldPtr = std::shared_ptr<HeldAssignment>;

// Not thread-safe; knows no threads, clock or RPC. The pointers it gives out stay valid after the assignment is gone.
class AssignmentTable {
 public:
  // Takes in the coordinator's answer. True if there may be something to start or report.
  bool Apply(const v1::SynchronizeResponse& answer);

  // The next assignment to prepare or run, marked busy; null if there is none.
  HeldPtr TakeToPrepare();
  HeldPtr TakeToRun();
  // What the thread that took it says afterwards.
  void Prepared(const HeldPtr& held);
  void Finished(const HeldPtr& held, Execution execution);

  // Stops everything that is not finished; it is reported as cancelled, which hands it back.
  void HandBackAll();

  // Finished, with logs that are not uploaded yet.
  std::vector<HeldPtr> WithLogs() const;
  // Everything but what was dropped. Work whose logs are not uploaded yet shows as RUNNING.
  std::vector<v1::AssignmentState> States() const;
  // Nothing is held and no thread is busy.
  bool IsIdle() const { return held_.empty(); }
  // A thread runs an assignment, dropped ones included.
  bool IsRunning() const;

 private:
  HeldPtr Find(const std::string& id) const;
  void Cancel(const HeldPtr& held);
  void Drop(const HeldPtr& held);
  std::list<HeldPtr> held_;  // in order of arrival
};

}  // namespace kernelsmith::worker
