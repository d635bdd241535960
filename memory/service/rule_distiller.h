// Has a model write the rule texts of items that passed the gate, one after the other in a thread of its own: never on
// the path of a call. Until it has, and where it fails, the template's text stands.
//
//   RuleDistiller distiller({.pending = ..., .ask = ..., .record = ..., .failed = ...});
//   distiller.Wake("local");   // a stage has ended: there may be new ones
//
// A model that does not answer is asked again after kFirstPause, then twice as long, up to kLongestPause, or when a
// stage ends, whatever is first. An answer that is no rule is not asked for again in this process.
#pragma once

#include <atomic>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/mutex.h"

namespace kernelsmith::memory {

class RuleDistiller {
 public:
  static constexpr absl::Duration kFirstPause = absl::Seconds(15);
  static constexpr absl::Duration kLongestPause = absl::Minutes(10);

  // All are called from the distiller's thread.
  struct Calls {
    // Ids of a team's items that need a rule text, best first.
    std::function<std::vector<std::string>(const std::string& team)> pending;
    // The model's answer for an item; true of `cancelled` ends the call. Errors: the model has not answered.
    std::function<absl::StatusOr<std::string>(const std::string& team, const std::string& item_id,
                                              const std::function<bool()>& cancelled)>
        ask;
    // Stores an answer. Errors: it is no rule, or cannot be stored.
    std::function<absl::Status(const std::string& team, const std::string& item_id, const std::string& answer)> record;
    // Says that the template's text stands.
    std::function<void(const std::string& team, const std::string& item_id, const absl::Status& why)> failed;
  };

  explicit RuleDistiller(Calls calls);
  ~RuleDistiller();
  RuleDistiller(const RuleDistiller&) = delete;
  RuleDistiller& operator=(const RuleDistiller&) = delete;

  // Thread-safe.
  void Wake(const std::string& team);

 private:
  void Run();
  std::set<std::string> AwaitWork(absl::Duration pause);
  // False if the model does not answer.
  bool Distil(const std::string& team);

  const Calls calls_;
  std::atomic<bool> stopping_ = false;
  std::set<std::string> refused_;  // "team<tab>item id", the thread's own
  common::Mutex mutex_;
  common::CondVar changed_;
  std::set<std::string> woken_ GUARDED_BY(mutex_);  // teams
  std::thread thread_;
};

}  // namespace kernelsmith::memory
