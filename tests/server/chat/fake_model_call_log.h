// The ledger in memory, with the rules of model_call_log.h and switches for what goes wrong.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/content_store.h"
#include "common/mutex.h"
#include "server/proposers/model_call_log.h"

namespace kernelsmith::server {

class FakeModelCallLog : public ModelCallLog {
 public:
  explicit FakeModelCallLog(const common::ContentStore& content) : content_(content) {}

  absl::StatusOr<Intent> Begin(const Call& call, absl::string_view request_body, double reserved_money) override {
    common::MutexLock lock(mutex_);
    reserved.push_back(reserved_money);
    if (reserved_money > money_left) return absl::OutOfRangeError("the money is used up");
    Entry& entry = entries[{call.round, call.call}];
    if (entry.finished.has_value() && entry.finished->event.error().empty()) {
      return Intent{entry.finished->event.intent_id(), false, entry.finished};
    }
    const bool in_doubt = !entry.intent_id.empty() && !entry.finished.has_value();
    if (!in_doubt) entry.intent_id = absl::StrCat("intent-", ++intents);
    entry.finished.reset();
    entry.request = *content_.Put(request_body, "prompt.json", "application/json");
    return Intent{entry.intent_id, in_doubt, std::nullopt};
  }

  absl::StatusOr<Finished> End(const Call& call, const std::string& intent_id, v1::ModelCallEnded outcome,
                               absl::string_view reply_body) override {
    common::MutexLock lock(mutex_);
    Entry& entry = entries[{call.round, call.call}];
    if (lose_next_end) {  // as if the process died here
      lose_next_end = false;
      return absl::UnavailableError("the process died");
    }
    outcome.set_round(call.round);
    outcome.set_call(call.call);
    outcome.set_intent_id(intent_id);
    if (outcome.error().empty()) *outcome.mutable_reply() = *content_.Put(reply_body, "reply.json", "application/json");
    ended.push_back(outcome);
    entry.finished = Finished{outcome, entry.request, std::string(reply_body)};
    return *entry.finished;
  }

  bool ShouldStop(absl::string_view) const override {
    common::MutexLock lock(mutex_);
    return stop_;
  }

  void Stop() {
    common::MutexLock lock(mutex_);
    stop_ = true;
  }

  struct Entry {
    std::string intent_id;
    v1::ArtifactRef request;
    std::optional<Finished> finished;
  };
  // Read while no call is under way.
  std::map<std::pair<int, int>, Entry> entries;  // by round and call
  std::vector<v1::ModelCallEnded> ended;
  std::vector<double> reserved;
  int intents = 0;
  double money_left = 1e9;
  bool lose_next_end = false;

 private:
  const common::ContentStore& content_;
  mutable common::Mutex mutex_;
  bool stop_ GUARDED_BY(mutex_) = false;
};

}  // namespace kernelsmith::server
