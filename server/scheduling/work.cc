#include "server/scheduling/work.h"

namespace kernelsmith::server {

std::optional<storage::v1::LeaseRecord> RecordOf(const Work& work) {
  if (work.cancelled) return std::nullopt;
  storage::v1::LeaseRecord record;
  record.set_assignment_id(work.item.assignment_id);
  record.set_lease_epoch(work.epoch);
  if (work.state == Work::State::kLeased) {
    record.set_worker_id(work.worker_id);
    record.set_instance(work.instance);
  }
  record.set_failures(work.failures);
  record.set_failure(work.failure);
  *record.mutable_assignment() = work.item.work;
  record.mutable_assignment()->set_action(work.action);
  record.set_job_id(work.item.job_id);
  record.set_round(work.item.round);
  record.set_team(work.item.team);
  record.set_priority(work.item.priority);
  record.set_card_kind(work.item.card_kind);
  record.set_queued_unix_us(absl::ToUnixMicros(work.queued_at));
  if (work.state == Work::State::kFinished) {
    *record.mutable_result() = work.result;
    record.mutable_result()->set_lease_epoch(work.epoch);
  }
  record.set_dead_letter(work.dead_letter);
  if (work.dead_letter) record.set_dead_unix_us(absl::ToUnixMicros(work.dead_at));
  for (const auto& wait : work.waits) *record.add_waits() = wait;
  return record;
}

Work WorkOf(const storage::v1::LeaseRecord& record) {
  Work work;
  work.item.assignment_id = record.assignment_id();
  work.item.team = record.team();
  work.item.job_id = record.job_id();
  work.item.round = record.round();
  work.item.priority = record.priority();
  work.item.card_kind = record.card_kind();
  work.item.work = record.assignment();
  work.action = record.assignment().action();
  work.queued_at = absl::FromUnixMicros(record.queued_unix_us());
  work.epoch = work.durable_epoch = record.lease_epoch();
  work.failures = record.failures();
  work.failure = record.failure();
  work.dead_letter = record.dead_letter();
  work.dead_at = absl::FromUnixMicros(record.dead_unix_us());
  work.waits.assign(record.waits().begin(), record.waits().end());
  if (record.has_result()) {
    work.state = Work::State::kFinished;
    work.result = record.result();
    work.durable_settled_epoch = work.epoch;
  } else if (!record.worker_id().empty()) {
    work.state = Work::State::kLeased;
    work.worker_id = record.worker_id();
    work.instance = record.instance();
    work.durable_settled_epoch = work.epoch - 1;
  } else {
    work.durable_settled_epoch = work.epoch;
  }
  return work;
}

v1::EvaluationStatus StatusOf(const v1::AssignmentState& finished) {
  if (finished.has_report()) return finished.report().status();
  if (!finished.has_inspected()) return v1::INFRASTRUCTURE;
  return finished.inspected().ok() ? v1::PASSED : finished.inspected().status();
}

std::string SummaryOf(const v1::AssignmentState& finished) {
  if (finished.has_report()) return finished.report().summary();
  if (finished.has_inspected()) return finished.inspected().error();
  return "the worker finished without a result";
}

v1::AssignmentState InfrastructureResult(const Work& work) {
  v1::AssignmentState state;
  state.set_id(work.item.assignment_id);
  state.set_lease_epoch(work.epoch);
  state.set_phase(v1::FINISHED);
  if (work.item.work.has_inspect()) {
    state.mutable_inspected()->set_status(v1::INFRASTRUCTURE);
    state.mutable_inspected()->set_error(work.failure);
  } else {
    state.mutable_report()->set_status(v1::INFRASTRUCTURE);
    state.mutable_report()->set_summary(work.failure);
  }
  return state;
}

}  // namespace kernelsmith::server
