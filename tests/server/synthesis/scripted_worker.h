// A worker that decides by the text of the candidate instead of compiling it:
//
//   "wrong"             INCORRECT_NUMERICAL
//   "no compile"        COMPILE_ERROR
//   "lost card"         INFRASTRUCTURE
//   "lost card, then X" INFRASTRUCTURE until Mend(), then as X
//   "hang"              runs until it is cancelled
//   a number            PASSED with that latency in microseconds
//
// Tasks are inspected by their source: "not a task" is INVALID_TASK, "lost host" INFRASTRUCTURE until Mend().
//
// It talks to a queue through Synchronize as a daemon would, survives the queue it talks to, and is given the next one.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "common/mutex.h"
#include "kernelsmith/v1/worker.pb.h"

namespace kernelsmith::server {

v1::EvaluationReport ScriptedReport(const v1::EvaluateWork& work);
v1::TaskSpec ScriptedTask();

class ScriptedWorker {
 public:
  using Synchronize = std::function<absl::StatusOr<v1::SynchronizeResponse>(const v1::SynchronizeRequest&)>;

  ScriptedWorker();
  ~ScriptedWorker();

  // Null: nobody answers. Returns once no call to the earlier one is under way.
  void TalkTo(Synchronize synchronize);

  // From now on infrastructure works.
  void Mend();

  // Assignments that were run, by id.
  std::map<std::string, int> runs() const;
  std::set<std::string> cancelled() const;

 private:
  void Loop();
  // Brings the states in line with what is desired.
  void Follow(const v1::SynchronizeResponse& desired) EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  v1::SynchronizeRequest Report() EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable common::Mutex mutex_;
  common::CondVar changed_;
  Synchronize synchronize_ GUARDED_BY(mutex_);
  bool calling_ GUARDED_BY(mutex_) = false;
  bool changing_ GUARDED_BY(mutex_) = false;  // TalkTo waits for its turn
  bool stopping_ GUARDED_BY(mutex_) = false;
  bool mended_ GUARDED_BY(mutex_) = false;
  uint64_t seen_revision_ GUARDED_BY(mutex_) = 0;
  std::map<std::string, v1::AssignmentState> states_ GUARDED_BY(mutex_);
  std::map<std::string, int> runs_ GUARDED_BY(mutex_);
  std::set<std::string> cancelled_ GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace kernelsmith::server
