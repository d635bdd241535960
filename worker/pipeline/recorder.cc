#include "worker/pipeline/recorder.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace kernelsmith::worker {

void RecordGate(v1::Gate gate, const Verdict& verdict, absl::Duration took, v1::EvaluationReport& report) {
  v1::GateOutcome* outcome = report.add_gates();
  outcome->set_gate(gate);
  outcome->set_passed(verdict.passed());
  outcome->set_detail(verdict.detail);
  outcome->set_seconds(absl::ToDoubleSeconds(took));
  if (verdict.passed()) return;
  report.set_status(verdict.status);
  report.set_summary(absl::StrCat(absl::AsciiStrToLower(v1::Gate_Name(gate)), ": ", verdict.detail));
  report.set_rule(verdict.rule);
  report.set_exit_signal(verdict.signal);
}

}  // namespace kernelsmith::worker
