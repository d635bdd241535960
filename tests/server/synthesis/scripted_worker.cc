#include "tests/server/synthesis/scripted_worker.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"

namespace kernelsmith::server {
namespace {

constexpr char kLostThen[] = "lost card, then ";

// What a candidate does once infrastructure works.
void MendCandidate(v1::Candidate& candidate) {
  if (candidate.files().empty()) return;
  std::string& text = *candidate.mutable_files(0)->mutable_content();
  text = std::string(absl::StripPrefix(text, kLostThen));
}

}  // namespace

v1::TaskSpec ScriptedTask() {
  v1::TaskSpec task;
  task.set_name("softmax");
  task.set_hash("0123");
  task.set_operator_name("softmax");
  task.set_family("row_reduction");
  task.set_reference_source("class Model: ...");
  v1::TaskCase& only = *task.add_cases();
  only.set_id("c0");
  only.set_argument_count(1);
  for (v1::TensorDescriptor* tensor : {only.add_inputs(), only.add_outputs()}) {
    tensor->set_name("x");
    tensor->set_dtype(v1::FP32);
    tensor->add_shape(64);
    tensor->add_shape(128);
  }
  return task;
}

v1::EvaluationReport ScriptedReport(const v1::EvaluateWork& work) {
  const std::string& text = work.candidate().files(0).content();
  v1::EvaluationReport report;
  report.mutable_environment()->mutable_target()->set_architecture("cpu-test");
  report.set_candidate_hash(text);
  double latency = 0;
  if (absl::SimpleAtod(text, &latency)) {
    report.set_status(v1::PASSED);
    report.set_latency_us(latency);
    report.set_summary("right");
    if (work.has_incumbent()) {
      double incumbent = 0;
      if (absl::SimpleAtod(work.incumbent().files(0).content(), &incumbent)) {
        report.mutable_against_incumbent()->set_ratio(incumbent / latency);
        report.mutable_against_incumbent()->set_faster(latency < incumbent);
      }
    }
  } else {
    report.set_status(text == "no compile"          ? v1::COMPILE_ERROR
                      : text.find("lost card") == 0 ? v1::INFRASTRUCTURE
                                                    : v1::INCORRECT_NUMERICAL);
    report.set_summary("it is " + text);
  }
  v1::GateOutcome& gate = *report.add_gates();
  gate.set_gate(v1::VERIFY);
  gate.set_passed(report.status() == v1::PASSED);
  return report;
}

ScriptedWorker::ScriptedWorker() : thread_([this] { Loop(); }) {}

ScriptedWorker::~ScriptedWorker() {
  TalkTo(nullptr);
  {
    common::MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  thread_.join();
}

void ScriptedWorker::TalkTo(Synchronize synchronize) {
  common::MutexLock lock(mutex_);
  changing_ = true;
  while (calling_) changed_.Wait(mutex_);
  changing_ = false;
  synchronize_ = std::move(synchronize);
  seen_revision_ = 0;
  changed_.NotifyAll();
}

void ScriptedWorker::Mend() {
  common::MutexLock lock(mutex_);
  mended_ = true;
}

std::map<std::string, int> ScriptedWorker::runs() const {
  common::MutexLock lock(mutex_);
  return runs_;
}

std::set<std::string> ScriptedWorker::cancelled() const {
  common::MutexLock lock(mutex_);
  return cancelled_;
}

v1::SynchronizeRequest ScriptedWorker::Report() {
  v1::SynchronizeRequest request;
  request.set_worker_id("host-cpu0");
  request.set_instance("instance");
  request.mutable_card()->set_card_id("cpu0");
  request.mutable_card()->set_kind("cpu");
  request.mutable_card()->set_health(v1::HEALTHY);
  request.mutable_card()->mutable_target()->set_architecture("cpu-test");
  for (const auto& [id, state] : states_) *request.add_assignments() = state;
  request.set_max_wait_ms(20);
  request.set_seen_revision(seen_revision_);
  return request;
}

void ScriptedWorker::Follow(const v1::SynchronizeResponse& desired) {
  seen_revision_ = desired.revision();
  std::map<std::string, v1::AssignmentState> states;
  for (const v1::Assignment& assignment : desired.assignments()) {
    v1::AssignmentState& state = states[assignment.id()];
    const auto known = states_.find(assignment.id());
    if (known != states_.end() && known->second.lease_epoch() == assignment.lease_epoch()) state = known->second;
    state.set_id(assignment.id());
    state.set_lease_epoch(assignment.lease_epoch());
    if (state.phase() == v1::FINISHED) continue;
    if (assignment.action() == v1::CANCEL) {
      cancelled_.insert(assignment.id());
      state.set_phase(v1::FINISHED);
      state.mutable_report()->set_status(v1::EVALUATION_CANCELLED);
    } else if (assignment.action() == v1::PREPARE) {
      state.set_phase(v1::PREPARED);
    } else if (assignment.has_inspect()) {
      state.set_phase(v1::FINISHED);
      const std::string& source = assignment.inspect().task().kernelbench().source();
      const bool lost = source == "lost host" && !mended_;
      const bool valid = source != "not a task" && !lost;
      state.mutable_inspected()->set_ok(valid);
      if (lost) {
        state.mutable_inspected()->set_status(v1::INFRASTRUCTURE);
        state.mutable_inspected()->set_error("the host is lost");
      } else if (valid) {
        *state.mutable_inspected()->mutable_spec() = ScriptedTask();
      } else {
        state.mutable_inspected()->set_status(v1::INVALID_TASK);
        state.mutable_inspected()->set_error("no class Model");
      }
    } else if (state.phase() != v1::RUNNING) {
      ++runs_[assignment.id()];
      v1::EvaluateWork work = assignment.has_compare() ? assignment.compare().a() : assignment.evaluate();
      if (mended_) {
        MendCandidate(*work.mutable_candidate());
        if (work.has_incumbent()) MendCandidate(*work.mutable_incumbent());
      }
      const bool hangs = work.candidate().files(0).content() == "hang";
      state.set_phase(hangs ? v1::RUNNING : v1::FINISHED);
      if (!hangs) *state.mutable_report() = ScriptedReport(work);
    }
  }
  for (const std::string& id : desired.acknowledged()) states.erase(id);
  states_ = std::move(states);
}

void ScriptedWorker::Loop() {
  common::MutexLock lock(mutex_);
  while (!stopping_) {
    if (!synchronize_ || changing_) {
      changed_.Wait(mutex_);
      continue;
    }
    const v1::SynchronizeRequest request = Report();
    const Synchronize synchronize = synchronize_;
    calling_ = true;
    mutex_.Unlock();
    const auto desired = synchronize(request);
    mutex_.Lock();
    calling_ = false;
    changed_.NotifyAll();
    if (desired.ok()) Follow(*desired);
    // A server that goes away answers at once.
    if (!desired.ok()) changed_.WaitFor(mutex_, absl::Milliseconds(5));
  }
}

}  // namespace kernelsmith::server
