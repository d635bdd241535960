#include "memory/service/rule_distiller.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace kernelsmith::memory {

RuleDistiller::RuleDistiller(Calls calls) : calls_(std::move(calls)), thread_([this] { Run(); }) {}

RuleDistiller::~RuleDistiller() {
  stopping_ = true;
  {
    const common::MutexLock lock(mutex_);
    changed_.NotifyAll();
  }
  thread_.join();
}

void RuleDistiller::Wake(const std::string& team) {
  const common::MutexLock lock(mutex_);
  woken_.insert(team);
  changed_.NotifyAll();
}

std::set<std::string> RuleDistiller::AwaitWork(absl::Duration pause) {
  const absl::Time deadline = absl::Now() + pause;
  const common::MutexLock lock(mutex_);
  while (woken_.empty() && !stopping_ && absl::Now() < deadline) {
    if (pause == absl::InfiniteDuration()) {
      changed_.Wait(mutex_);
    } else {
      changed_.WaitUntil(mutex_, deadline);
    }
  }
  return std::exchange(woken_, {});
}

void RuleDistiller::Run() {
  std::set<std::string> unanswered;  // teams
  absl::Duration pause = kFirstPause;
  while (!stopping_) {
    std::set<std::string> teams = AwaitWork(unanswered.empty() ? absl::InfiniteDuration() : pause);
    teams.merge(std::exchange(unanswered, {}));
    for (const std::string& team : teams) {
      if (stopping_) return;
      if (!Distil(team)) unanswered.insert(team);
    }
    pause = unanswered.empty() ? kFirstPause : std::min(2 * pause, kLongestPause);
  }
}

bool RuleDistiller::Distil(const std::string& team) {
  for (const std::string& item_id : calls_.pending(team)) {
    const std::string key = absl::StrCat(team, "\t", item_id);
    if (refused_.contains(key)) continue;
    const absl::StatusOr<std::string> answer = calls_.ask(team, item_id, [this] { return stopping_.load(); });
    if (stopping_) return true;
    if (!answer.ok()) {
      calls_.failed(team, item_id, answer.status());
      return false;
    }
    if (const absl::Status recorded = calls_.record(team, item_id, *answer); !recorded.ok()) {
      refused_.insert(key);
      calls_.failed(team, item_id, recorded);
    }
  }
  return true;
}

}  // namespace kernelsmith::memory
