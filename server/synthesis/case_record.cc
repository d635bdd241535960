#include "server/synthesis/case_record.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "common/hash.h"
#include "server/synthesis/attempt_rules.h"
#include "server/synthesis/feedback_text.h"
#include "server/synthesis/task_text.h"

namespace kernelsmith::server {
namespace {

std::string ParameterText(const v1::Thought& thought) {
  // A map has no order of its own, and the record must be the same when it is sent again.
  const std::map<std::string, std::string> sorted(thought.parameters().begin(), thought.parameters().end());
  return absl::StrJoin(sorted, ", ", absl::PairFormatter(" = "));
}

void Append(absl::string_view separator, absl::string_view addition, std::string& text) {
  if (addition.empty()) return;
  absl::StrAppend(&text, text.empty() ? "" : separator, addition);
}

std::string StrategyText(const v1::Proposal& proposal) {
  std::string text = proposal.thought().title();
  Append(". ", proposal.thought().reason(), text);
  if (!proposal.hypothesis().empty()) Append("\n\n", absl::StrCat("Hypothesis: ", proposal.hypothesis()), text);
  return text;
}

std::string ChangeText(const CaseInputs& inputs) {
  std::string text = inputs.predecessor == nullptr
                         ? "A draft from nothing."
                         : absl::StrCat("Started from round ", inputs.predecessor->round, ".");
  Append(" ", inputs.attempt.proposal.rationale(), text);
  const std::string parameters = ParameterText(inputs.attempt.proposal.thought());
  if (!parameters.empty()) Append("\n\n", absl::StrCat("Parameters: ", parameters), text);
  return text;
}

std::string ValidationText(const CaseInputs& inputs) {
  std::string text;
  for (const v1::GateOutcome& gate : inputs.attempt.report.gates()) {
    absl::StrAppend(&text, "- ", v1::Gate_Name(gate.gate()), gate.passed() ? ": passed" : ": failed");
    if (!gate.detail().empty()) absl::StrAppend(&text, ", ", gate.detail());
    absl::StrAppend(&text, "\n");
  }
  absl::StrAppend(&text, FeedbackLine(inputs.attempt.report, *inputs.history.task));
  return text;
}

std::string MeasurementText(const v1::EvaluationReport& report) {
  if (report.latency_us() <= 0) return "Not timed.";
  std::string text = absl::StrFormat("%.3f us", report.latency_us());
  if (report.baseline_us() > 0) absl::StrAppendFormat(&text, "; baseline %.3f us", report.baseline_us());
  if (report.has_against_incumbent()) {
    absl::StrAppendFormat(&text, "; ratio to the incumbent %.3f [%.3f, %.3f]", report.against_incumbent().ratio(),
                          report.against_incumbent().low(), report.against_incumbent().high());
  }
  return text;
}

std::string InterpretationText(const CaseInputs& inputs, bool confirmed) {
  const v1::EvaluationReport& report = inputs.attempt.report;
  std::string text;
  if (report.status() != v1::PASSED) {
    text = "Not correct, so it says nothing about speed.";
  } else if (!inputs.became_incumbent) {
    text = "Correct, but not faster than the incumbent.";
  } else if (inputs.history.incumbent_round == 0) {
    text = "The first correct kernel of this job.";
  } else {
    text = "Correct and faster than the incumbent.";
  }
  Append(" ", confirmed ? "The hypothesis held." : "The hypothesis did not hold.", text);
  return text;
}

}  // namespace

v1::RecordAttemptRequest BuildCaseRecord(const CaseInputs& inputs, const std::string& producer) {
  const v1::TaskSpec& task = *inputs.history.task;
  const v1::EvaluationReport& report = inputs.attempt.report;
  const v1::Proposal& proposal = inputs.attempt.proposal;

  v1::RecordAttemptRequest request;
  request.set_producer(producer);
  request.set_attempt_id(inputs.round.started.attempt_id());
  const RoundState* predecessor = inputs.history.round(inputs.round.started.start_round());
  if (predecessor != nullptr && predecessor->is_evidence())
    request.set_prev_attempt_id(predecessor->started.attempt_id());
  *request.mutable_target() = report.environment().target();
  *request.mutable_author() = proposal.author();
  request.set_recorded_at_unix_us(inputs.round.evaluated_unix_us);

  v1::Case& record = *request.mutable_case_();
  record.set_operator_name(task.operator_name());
  record.set_family(task.family());
  record.set_level(task.level());
  *record.mutable_scene() = SceneOf(task);
  record.set_purpose(proposal.purpose() == v1::PURPOSE_UNSPECIFIED ? DefaultPurpose(inputs.history)
                                                                   : proposal.purpose());
  *record.mutable_thought() = proposal.thought();
  record.set_hypothesis(proposal.hypothesis());
  if (inputs.predecessor != nullptr) record.set_code_before(CandidateText(inputs.predecessor->candidate));
  record.set_code_after(CandidateText(inputs.attempt.candidate));
  // The kernel that a job was given: memory finds the attempt of another job that made it.
  const bool given =
      inputs.predecessor == nullptr && inputs.history.spec.has_start_from() && inputs.round.number() == 1;
  if (given) record.set_start_code_sha256(common::Sha256Hex(record.code_after()));
  for (int i = 0; i < std::min(report.diagnostics_size(), kMaxDiagnostics); ++i) {
    *record.add_diagnostics() = report.diagnostics(i);
  }
  record.set_status(report.status());
  record.set_feedback(FeedbackLine(report, task));
  record.set_latency_us(report.latency_us());
  if (report.timings_size() > 0) record.set_clock(report.timings(0).candidate().clock());
  record.set_speedup(AttemptSpeedup(report, inputs.history.first_correct_us()));
  record.set_confidence(AttemptConfidence(report));
  record.set_session(inputs.history.job_id);
  record.set_step(inputs.round.number());
  record.set_hypothesis_confirmed(ConfirmsHypothesis(record.purpose(), report.status(), inputs.became_incumbent));
  record.set_stage(inputs.round.started.stage());

  v1::Journal& journal = *request.mutable_journal();
  journal.set_strategy(StrategyText(proposal));
  journal.set_change(ChangeText(inputs));
  journal.set_validation(ValidationText(inputs));
  journal.set_measurements(MeasurementText(report));
  journal.set_interpretation(InterpretationText(inputs, record.hypothesis_confirmed()));
  return request;
}

}  // namespace kernelsmith::server
