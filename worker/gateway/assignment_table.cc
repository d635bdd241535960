#include "worker/gateway/assignment_table.h"

#include <algorithm>
#include <map>
#include <set>

namespace kernelsmith::worker {

HeldPtr AssignmentTable::Find(const std::string& id) const {
  for (const auto& held : held_) {
    if (!held->dropped && held->assignment.id() == id) return held;
  }
  return nullptr;
}

bool AssignmentTable::Apply(const v1::SynchronizeResponse& answer) {
  bool changed = false;
  const std::set<std::string> acknowledged(answer.acknowledged().begin(), answer.acknowledged().end());
  std::map<std::string, uint64_t> wanted;
  for (const auto& assignment : answer.assignments()) wanted[assignment.id()] = assignment.lease_epoch();

  const std::vector<HeldPtr> before(held_.begin(), held_.end());
  for (const auto& held : before) {
    const auto found = wanted.find(held->assignment.id());
    const bool still_wanted = found != wanted.end() && found->second == held->assignment.lease_epoch();
    if (held->dropped || still_wanted) continue;
    Drop(held);
    changed = true;
  }
  for (const auto& assignment : answer.assignments()) {
    HeldPtr held = Find(assignment.id());
    if (!held) {
      held = std::make_shared<HeldAssignment>();
      held->assignment = assignment;
      held_.push_back(held);
      changed = true;
    } else if (held->assignment.action() != assignment.action() && assignment.action() != v1::CANCEL) {
      held->assignment.set_action(assignment.action());
      changed = true;
    }
    if (assignment.action() == v1::CANCEL && !held->cancelled) {
      Cancel(held);
      changed = true;
    }
  }
  return changed;
}

void AssignmentTable::Cancel(const HeldPtr& held) {
  if (held->phase == v1::FINISHED) return;
  held->cancelled = true;
  held->stop.request_stop();
  if (!held->busy) Finished(held, {CancelledResult(held->assignment), {}});
}

void AssignmentTable::Drop(const HeldPtr& held) {
  held->dropped = true;
  held->stop.request_stop();
  if (!held->busy) held_.remove(held);
}

HeldPtr AssignmentTable::TakeToPrepare() {
  for (const auto& held : held_) {
    if (held->busy || held->dropped || held->phase != v1::ACCEPTED) continue;
    if (held->assignment.action() != v1::PREPARE) continue;
    held->busy = true;
    held->phase = v1::PREPARING;
    return held;
  }
  return nullptr;
}

HeldPtr AssignmentTable::TakeToRun() {
  for (const auto& held : held_) {
    if (held->busy || held->dropped || held->assignment.action() != v1::RUN) continue;
    if (held->phase != v1::ACCEPTED && held->phase != v1::PREPARED) continue;
    held->busy = true;
    held->phase = v1::RUNNING;
    return held;
  }
  return nullptr;
}

void AssignmentTable::Prepared(const HeldPtr& held) {
  held->busy = false;
  if (held->dropped) {
    held_.remove(held);
  } else if (held->cancelled) {
    Finished(held, {CancelledResult(held->assignment), {}});
  } else {
    held->phase = v1::PREPARED;
    held->activity = "prepared; waits for the card";
  }
}

void AssignmentTable::Finished(const HeldPtr& held, Execution execution) {
  held->busy = false;
  if (held->dropped) {
    held_.remove(held);
    return;
  }
  held->phase = v1::FINISHED;
  held->activity.clear();
  held->execution = std::move(execution);
  // What broke because it was stopped is nobody's failure.
  if (held->cancelled && StatusOfResult(held->execution.result) == v1::INFRASTRUCTURE) {
    held->execution = {CancelledResult(held->assignment), {}};
  }
}

void AssignmentTable::HandBackAll() {
  const std::vector<HeldPtr> all(held_.begin(), held_.end());
  for (const auto& held : all) {
    if (!held->dropped && !held->cancelled) Cancel(held);
  }
}

std::vector<HeldPtr> AssignmentTable::WithLogs() const {
  std::vector<HeldPtr> with_logs;
  for (const auto& held : held_) {
    if (held->phase == v1::FINISHED && held->logs_uploaded < held->execution.logs.size()) with_logs.push_back(held);
  }
  return with_logs;
}

std::vector<v1::AssignmentState> AssignmentTable::States() const {
  std::vector<v1::AssignmentState> states;
  for (const auto& held : held_) {
    if (held->dropped) continue;
    v1::AssignmentState& state = states.emplace_back();
    const bool uploading = held->phase == v1::FINISHED && held->logs_uploaded < held->execution.logs.size();
    if (held->phase == v1::FINISHED && !uploading) state = held->execution.result;
    state.set_id(held->assignment.id());
    state.set_lease_epoch(held->assignment.lease_epoch());
    state.set_phase(uploading ? v1::RUNNING : held->phase);
    state.set_activity(uploading ? "uploading logs" : held->activity);
  }
  return states;
}

bool AssignmentTable::IsRunning() const {
  return std::any_of(held_.begin(), held_.end(), [](const HeldPtr& held) { return held->phase == v1::RUNNING; });
}

}  // namespace kernelsmith::worker
