#include "server/scheduling/work_board.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace kernelsmith::server {

WorkBoard::WorkBoard(BoardRules rules, uint64_t revision_base, absl::BitGenRef random)
    : rules_(std::move(rules)), random_(random), share_(rules_.team_weights), last_revision_(revision_base) {}

void WorkBoard::Restore(const storage::v1::LeaseRecord& record, absl::Time now) {
  Work work = WorkOf(record);
  work.order = next_order_++;
  grace_until_ = now + rules_.reconnect_grace;
  if (work.state == Work::State::kLeased) {
    work.lease_until = now + std::max(rules_.lease, rules_.reconnect_grace);
    if (work.action == v1::RUN) work.run_since = now;
  }
  const std::string team = work.item.team;
  works_[record.assignment_id()] = std::move(work);
  UpdateTeam(team);
}

void WorkBoard::RestoreDrain(const std::string& worker_id) {
  cards_[worker_id].worker_id = worker_id;
  cards_[worker_id].drain_wanted = true;
}

absl::Status WorkBoard::Submit(const WorkItem& item, absl::Time now) {
  const auto [found, added] = works_.try_emplace(item.assignment_id);
  Work& work = found->second;
  if (!added && (work.joined || work.cancelled)) {
    return common::BadState("ASSIGNMENT", item.assignment_id, "is waited for already, or is being cancelled");
  }
  if (added) {
    work.item = item;
    work.order = next_order_++;
    work.queued_at = now;
    work.wait_since = now;
  } else if (work.state == Work::State::kWaiting) {
    work.wait_since = now;
  } else if (work.state == Work::State::kLeased) {
    Notify(work, WorkNotice::kLeased, absl::StrCat("still on ", work.worker_id, " from before the restart"));
  }
  work.joined = true;
  touched_work_.insert(item.assignment_id);
  UpdateTeam(item.team);
  return absl::OkStatus();
}

void WorkBoard::Cancel(const std::string& assignment_id, absl::Time now) {
  const auto found = works_.find(assignment_id);
  if (found == works_.end()) return;
  Work& work = found->second;
  EndRun(work, /*charge=*/true, now);
  const bool handed_out = work.state == Work::State::kLeased && work.durable_epoch == work.epoch;
  if (!handed_out) return Erase(assignment_id);
  work.cancelled = true;
  work.joined = false;
  work.action = v1::CANCEL;
  dirty_.insert(assignment_id);
  TouchCard(work.worker_id);
}

void WorkBoard::Leave(const std::string& assignment_id) {
  const auto found = works_.find(assignment_id);
  if (found == works_.end()) return;
  found->second.joined = false;
  found->second.notices.clear();
}

void WorkBoard::Forget(const std::string& assignment_id) {
  const auto found = works_.find(assignment_id);
  if (found != works_.end() && found->second.state == Work::State::kFinished) Erase(assignment_id);
}

void WorkBoard::Erase(const std::string& assignment_id) {
  const auto found = works_.find(assignment_id);
  if (found == works_.end()) return;
  const std::string team = found->second.item.team;
  if (found->second.state == Work::State::kLeased) TouchCard(found->second.worker_id);
  dirty_.insert(assignment_id);
  touched_work_.insert(assignment_id);
  works_.erase(found);
  UpdateTeam(team);
}

absl::Status WorkBoard::Report(const v1::SynchronizeRequest& request, absl::Time now) {
  if (request.worker_id().empty()) return common::InvalidField("worker_id", "is empty");
  if (request.instance().empty()) return common::InvalidField("instance", "is empty; give a new id with every process");
  if (request.card().kind().empty()) return common::InvalidField("card.kind", "is empty");
  CardEntry& card = cards_[request.worker_id()];
  if (card.retired_instances.count(request.instance()) > 0) {
    return common::BadState("WORKER", request.worker_id(),
                            "is now served by another process; stop one of them or give it another worker id");
  }
  card.worker_id = request.worker_id();
  if (card.instance != request.instance()) {
    if (!card.instance.empty()) card.retired_instances.insert(card.instance);
    card.instance = request.instance();
    TouchCard(card.worker_id);
  }
  card.state = request.card();
  card.worker_drains = request.draining();
  card.last_seen = now;

  std::set<std::string> held;  // assignments that the worker has under their present lease
  for (const auto& reported : request.assignments()) {
    const auto found = works_.find(reported.id());
    const bool is_lease = found != works_.end() && found->second.state == Work::State::kLeased &&
                          found->second.worker_id == card.worker_id && found->second.epoch == reported.lease_epoch();
    if (!is_lease) {
      const bool settled = found != works_.end() && found->second.epoch == reported.lease_epoch();
      if (reported.phase() == v1::FINISHED && !settled) ++counters_.stale_results;
      continue;
    }
    held.insert(reported.id());
    TakeIn(card, found->second, reported, now);
  }
  // A new process does not hold what the one before it held.
  std::vector<std::string> lost;
  for (const auto& [id, work] : works_) {
    if (work.state == Work::State::kLeased && work.worker_id == card.worker_id && work.instance != card.instance &&
        held.count(id) == 0) {
      lost.push_back(id);
    }
  }
  for (const auto& id : lost) {
    ++counters_.lease_losses;
    Fail(works_.at(id), absl::StrCat("worker ", card.worker_id, " was restarted"), nullptr, now);
  }
  return absl::OkStatus();
}

void WorkBoard::TakeIn(CardEntry& card, Work& work, const v1::AssignmentState& reported, absl::Time now) {
  work.instance = card.instance;
  work.lease_until = now + rules_.lease;
  if (reported.phase() == v1::FINISHED) return Finish(card, work, reported, now);
  // After a restart of the coordinator: it was promoted, which is not on disk.
  if (reported.phase() == v1::RUNNING && work.action == v1::PREPARE) {
    work.action = v1::RUN;
    StartRun(work, now);
  }
  if (reported.activity() == work.activity || work.cancelled) return;
  work.activity = reported.activity();
  Notify(work, WorkNotice::kActivity, work.activity);
}

void WorkBoard::Finish(CardEntry& card, Work& work, const v1::AssignmentState& reported, absl::Time now) {
  const std::string id = work.item.assignment_id;
  if (work.cancelled) return Erase(id);
  switch (StatusOf(reported)) {
    case v1::INFRASTRUCTURE:
      return Fail(work, absl::StrCat(card.worker_id, ": ", SummaryOf(reported)), &reported, now);
    case v1::EVALUATION_CANCELLED:  // nobody asked for that: the worker hands it back because it stops
      EndRun(work, /*charge=*/false, now);
      ++counters_.retries;
      Notify(work, WorkNotice::kRetried, absl::StrCat("worker ", card.worker_id, " stopped and handed it back"));
      return Requeue(work, now);
    default:
      EndRun(work, /*charge=*/true, now);
      work.state = Work::State::kFinished;
      work.result = reported;
      card.quarantine.OnSuccess();
      dirty_.insert(id);
      touched_work_.insert(id);
      TouchCard(card.worker_id);
      UpdateTeam(work.item.team);
  }
}

void WorkBoard::Fail(Work& work, const std::string& reason, const v1::AssignmentState* result, absl::Time now) {
  EndRun(work, /*charge=*/false, now);
  CardEntry& card = cards_[work.worker_id];
  if (card.quarantine.OnFailure(rules_.quarantine, now)) ++counters_.quarantines;
  if (work.cancelled) return Erase(work.item.assignment_id);
  ++work.failures;
  work.failure = reason;
  work.failed_on = work.worker_id;
  if (work.failures < rules_.max_failures) {
    ++counters_.retries;
    Notify(work, WorkNotice::kRetried, reason);
    return Requeue(work, now + common::BackoffDelay(rules_.backoff, work.failures, random_));
  }
  ++counters_.dead_letters;
  work.dead_letter = true;
  work.dead_at = now;
  work.result = result != nullptr ? *result : InfrastructureResult(work);
  TouchCard(work.worker_id);
  work.state = Work::State::kFinished;
  dirty_.insert(work.item.assignment_id);
  touched_work_.insert(work.item.assignment_id);
  UpdateTeam(work.item.team);
}

void WorkBoard::Requeue(Work& work, absl::Time not_before) {
  TouchCard(work.worker_id);
  work.state = Work::State::kWaiting;
  work.worker_id.clear();
  work.instance.clear();
  work.activity.clear();
  work.waiting_text.clear();
  work.not_before = not_before;
  work.wait_since = not_before;
  work.no_card_since = absl::InfiniteFuture();
  dirty_.insert(work.item.assignment_id);
  touched_work_.insert(work.item.assignment_id);
}

absl::Status WorkBoard::SetDrain(const std::string& worker_id, bool drain, absl::Time) {
  const auto found = cards_.find(worker_id);
  if (found == cards_.end()) {
    return absl::NotFoundError(absl::StrCat("no worker '", worker_id, "'; `kernelsmith cards` lists them"));
  }
  if (found->second.drain_wanted != drain) TouchCard(worker_id);
  found->second.drain_wanted = drain;
  return absl::OkStatus();
}

void WorkBoard::Advance(absl::Time now) {
  std::vector<std::string> expired;
  for (const auto& [id, work] : works_) {
    if (work.state == Work::State::kLeased && work.lease_until <= now) expired.push_back(id);
  }
  for (const auto& id : expired) {
    Work& work = works_.at(id);
    ++counters_.lease_losses;
    Fail(work,
         absl::StrCat("the lease of worker ", work.worker_id, " ran out: it has not reported this work for ",
                      absl::FormatDuration(rules_.lease)),
         nullptr, now);
  }
  GrantAll(now);
  for (auto& [id, work] : works_) {
    if (work.state == Work::State::kWaiting && work.joined) ExplainWaiting(work, now);
  }
}

v1::SynchronizeResponse WorkBoard::Desired(const v1::SynchronizeRequest& request) const {
  v1::SynchronizeResponse answer;
  answer.set_heartbeat_ms(absl::ToInt64Milliseconds(rules_.heartbeat));
  const auto card = cards_.find(request.worker_id());
  if (card == cards_.end()) return answer;
  answer.set_revision(card->second.revision);
  answer.set_drain(card->second.drain_wanted);
  for (const auto& [id, work] : works_) {
    if (work.state != Work::State::kLeased || work.worker_id != request.worker_id()) continue;
    if (work.durable_epoch != work.epoch) continue;  // not handed out before it is on disk
    v1::Assignment& assignment = *answer.add_assignments();
    if (work.action != v1::CANCEL) assignment = work.item.work;
    assignment.set_id(id);
    assignment.set_lease_epoch(work.epoch);
    assignment.set_action(work.action);
    assignment.set_lease_ms(absl::ToInt64Milliseconds(rules_.lease));
  }
  for (const auto& reported : request.assignments()) {
    if (reported.phase() != v1::FINISHED) continue;
    const Work* work = Find(reported.id());
    if (work != nullptr && work->durable_settled_epoch >= reported.lease_epoch()) {
      answer.add_acknowledged(reported.id());
    }
  }
  return answer;
}

bool WorkBoard::IsNews(const v1::SynchronizeRequest& request, const v1::SynchronizeResponse& answer) const {
  if (answer.revision() != request.seen_revision() || answer.acknowledged_size() > 0) return true;
  // A finished result that is not wanted: the worker should hear so.
  return std::any_of(request.assignments().begin(), request.assignments().end(), [&](const auto& reported) {
    const Work* work = Find(reported.id());
    const bool leased = work != nullptr && work->state == Work::State::kLeased && work->epoch == reported.lease_epoch();
    const bool settling = work != nullptr && work->epoch == reported.lease_epoch();  // its end is not on disk yet
    return reported.phase() == v1::FINISHED && !leased && !settling;
  });
}

const Work* WorkBoard::Find(const std::string& assignment_id) const {
  const auto found = works_.find(assignment_id);
  return found == works_.end() ? nullptr : &found->second;
}

std::vector<WorkNotice> WorkBoard::TakeNotices(const std::string& assignment_id) {
  const auto found = works_.find(assignment_id);
  if (found == works_.end()) return {};
  return std::exchange(found->second.notices, {});
}

std::vector<v1::Card> WorkBoard::Cards(absl::Time now) const {
  std::vector<v1::Card> cards;
  for (const auto& [worker_id, entry] : cards_) {
    if (entry.instance.empty()) continue;  // known from a drain only
    v1::Card& card = cards.emplace_back();
    card.set_worker_id(worker_id);
    *card.mutable_state() = entry.state;
    if (entry.quarantine.IsOut(now)) {
      card.mutable_state()->set_health(v1::QUARANTINED);
      card.mutable_state()->set_health_detail(
          absl::StrCat("out until ", absl::FormatTime("%H:%M:%S UTC", entry.quarantine.until(), absl::UTCTimeZone()),
                       " after ", entry.quarantine.failures(), " failures in a row"));
    }
    card.set_connected(IsConnected(entry, now));
    card.set_draining(entry.drain_wanted || entry.worker_drains);
    card.set_last_seen_unix_us(absl::ToUnixMicros(entry.last_seen));
    card.set_consecutive_failures(entry.quarantine.failures());
    for (const auto& [id, work] : works_) {
      if (work.state != Work::State::kLeased || work.worker_id != worker_id) continue;
      card.add_activities(absl::StrCat(v1::AssignmentAction_Name(work.action), " ", id,
                                       work.activity.empty() ? "" : ": ", work.activity));
    }
  }
  return cards;
}

WorkBoard::DirtyRecords WorkBoard::TakeDirty() {
  DirtyRecords records;
  for (const auto& id : std::exchange(dirty_, {})) {
    const Work* work = Find(id);
    records.emplace_back(id, work == nullptr ? std::nullopt : RecordOf(*work));
  }
  return records;
}

void WorkBoard::MarkDurable(const DirtyRecords& written) {
  for (const auto& [id, record] : written) {
    const auto found = works_.find(id);
    if (found == works_.end() || !record) continue;
    Work& work = found->second;
    const bool leased = !record->worker_id().empty();
    if (leased && work.durable_epoch < record->lease_epoch()) {
      work.durable_epoch = record->lease_epoch();
      if (work.state == Work::State::kLeased && work.epoch == work.durable_epoch) {
        Notify(work, WorkNotice::kLeased, absl::StrCat("on ", work.worker_id));
        TouchCard(work.worker_id);
      }
    }
    const uint64_t settled = leased ? record->lease_epoch() - 1 : record->lease_epoch();
    if (work.durable_settled_epoch < settled) {
      work.durable_settled_epoch = settled;
      touched_work_.insert(id);
      for (const auto& [worker_id, card] : cards_) touched_cards_.insert(worker_id);  // one of them waits to hear it
    }
  }
}

void WorkBoard::MarkDirty(const DirtyRecords& unwritten) {
  for (const auto& [id, record] : unwritten) dirty_.insert(id);
}

void WorkBoard::TouchCard(const std::string& worker_id) {
  cards_[worker_id].worker_id = worker_id;
  cards_[worker_id].revision = ++last_revision_;
  touched_cards_.insert(worker_id);
}

void WorkBoard::Notify(Work& work, WorkNotice::Kind kind, const std::string& text) {
  if (!work.joined) return;
  work.notices.push_back({kind, text, work.worker_id, work.epoch, work.failures});
  touched_work_.insert(work.item.assignment_id);
}

void WorkBoard::UpdateTeam(const std::string& team) {
  const bool active = std::any_of(works_.begin(), works_.end(), [&](const auto& entry) {
    return entry.second.item.team == team && entry.second.state != Work::State::kFinished && !entry.second.cancelled;
  });
  if (active) {
    share_.Activate(team);
  } else {
    share_.Deactivate(team);
  }
}

}  // namespace kernelsmith::server
