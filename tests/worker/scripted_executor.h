// An executor that does what a test says, when it says so.
#pragma once

#include <map>
#include <set>
#include <string>

#include "common/mutex.h"
#include "worker/gateway/executor.h"

namespace kernelsmith::worker {

// Thread-safe. Run blocks until Finish was called for the assignment, or it is stopped.
class ScriptedExecutor final : public Executor {
 public:
  void Prepare(const v1::Assignment& assignment, const Progress& progress, std::stop_token) override {
    progress("compiling");
    common::MutexLock lock(mutex_);
    prepared_.insert(assignment.id());
    changed_.NotifyAll();
  }

  Execution Run(const v1::Assignment& assignment, const Progress& progress, std::stop_token stop) override {
    progress("running " + assignment.id());
    std::stop_callback wake(stop, [this] {
      common::MutexLock lock(mutex_);
      changed_.NotifyAll();
    });
    common::MutexLock lock(mutex_);
    ++started_[assignment.id()];
    changed_.NotifyAll();
    while (!stop.stop_requested() && results_.count(assignment.id()) == 0) changed_.Wait(mutex_);
    if (results_.count(assignment.id()) == 0) {
      ++stopped_;
      changed_.NotifyAll();
      return {CancelledResult(assignment), {}};
    }
    Execution execution = results_.at(assignment.id());
    if (once_) results_.erase(assignment.id());
    return execution;
  }

  // How the next run of the assignment ends (every run, unless once).
  void Finish(const std::string& id, v1::EvaluationStatus status, std::vector<Execution::Log> logs = {}) {
    common::MutexLock lock(mutex_);
    results_[id].result.mutable_report()->set_status(status);
    results_[id].logs = std::move(logs);
    changed_.NotifyAll();
  }
  void set_once(bool once) { once_ = once; }

  // False if it does not come to that in 20 seconds.
  bool WaitUntilStarted(const std::string& id, int times = 1) {
    return WaitFor([&]() EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return started_[id] >= times; });
  }
  bool WaitUntilPrepared(const std::string& id) {
    return WaitFor([&]() EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return prepared_.count(id) > 0; });
  }
  bool WaitUntilStopped(int times = 1) {
    return WaitFor([&]() EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return stopped_ >= times; });
  }
  int started(const std::string& id) {
    common::MutexLock lock(mutex_);
    return started_[id];
  }

 private:
  template <typename Condition>
  bool WaitFor(Condition condition) {
    const absl::Time deadline = absl::Now() + absl::Seconds(20);
    common::MutexLock lock(mutex_);
    while (!condition()) {
      if (absl::Now() >= deadline) return false;
      changed_.WaitUntil(mutex_, deadline);
    }
    return true;
  }

  common::Mutex mutex_;
  common::CondVar changed_;
  std::map<std::string, Execution> results_ GUARDED_BY(mutex_);
  std::map<std::string, int> started_ GUARDED_BY(mutex_);
  std::set<std::string> prepared_ GUARDED_BY(mutex_);
  int stopped_ GUARDED_BY(mutex_) = 0;
  bool once_ = false;
};

}  // namespace kernelsmith::worker
