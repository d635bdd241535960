#include "server/synthesis/feedback_text.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace kernelsmith::server {
namespace {

bool IsHidden(const v1::TaskSpec& task, const std::string& case_id) {
  return std::any_of(task.cases().begin(), task.cases().end(),
                     [&](const v1::TaskCase& known) { return known.id() == case_id && known.hidden(); });
}

std::string MismatchText(const v1::Mismatch& mismatch) {
  std::string text = absl::StrCat("output '", mismatch.output(), "': ", mismatch.wrong(), " of ", mismatch.elements(),
                                  " elements are wrong");
  if (!mismatch.pattern().empty()) absl::StrAppend(&text, " (", mismatch.pattern(), ")");
  if (mismatch.worst_index_size() > 0) {
    absl::StrAppendFormat(&text, "; worst at [%s]: got %g, expected %g, allowed difference %g",
                          absl::StrJoin(mismatch.worst_index(), ", "), mismatch.got(), mismatch.expected(),
                          mismatch.allowed());
  }
  return text;
}

// The first mismatch of a case that may be shown.
const v1::Mismatch* FirstMismatch(const v1::EvaluationReport& report, const v1::TaskSpec& task) {
  for (const v1::CaseReport& result : report.cases()) {
    if (result.mismatches_size() > 0 && !IsHidden(task, result.case_id())) return &result.mismatches(0);
  }
  return nullptr;
}

void AppendCases(const v1::EvaluationReport& report, const v1::TaskSpec& task, std::string& text) {
  for (const v1::CaseReport& result : report.cases()) {
    if (result.status() == v1::PASSED) continue;
    if (IsHidden(task, result.case_id())) {
      absl::StrAppend(&text, "- a hidden case: ", v1::EvaluationStatus_Name(result.status()), "\n");
      continue;
    }
    absl::StrAppend(&text, "- case ", result.case_id(), ": ", v1::EvaluationStatus_Name(result.status()));
    if (!result.detail().empty()) absl::StrAppend(&text, ": ", result.detail());
    absl::StrAppend(&text, "\n");
    for (const v1::Mismatch& mismatch : result.mismatches()) {
      absl::StrAppend(&text, "  ", MismatchText(mismatch), "\n");
    }
  }
}

void AppendTimes(const v1::EvaluationReport& report, std::string& text) {
  if (report.latency_us() <= 0) return;
  absl::StrAppendFormat(&text, "latency %.3f us", report.latency_us());
  if (report.baseline_us() > 0) absl::StrAppendFormat(&text, ", baseline %.3f us", report.baseline_us());
  if (report.speedup_vs_baseline() > 0) {
    absl::StrAppendFormat(&text, ", speed-up over the baseline %.3f", report.speedup_vs_baseline());
  }
  if (report.has_against_incumbent()) {
    absl::StrAppendFormat(&text, ", against the incumbent %.3f [%.3f, %.3f]", report.against_incumbent().ratio(),
                          report.against_incumbent().low(), report.against_incumbent().high());
  }
  absl::StrAppend(&text, "\n");
  if (report.timings_size() < 2) return;
  for (const v1::CaseTiming& timing : report.timings()) {
    absl::StrAppendFormat(&text, "- case %s: %.3f us\n", timing.case_id(), timing.candidate().mean_us());
  }
}

}  // namespace

std::string FeedbackText(const v1::EvaluationReport& report, const v1::TaskSpec& task) {
  std::string text = absl::StrCat("verdict: ", v1::EvaluationStatus_Name(report.status()));
  if (!report.summary().empty()) absl::StrAppend(&text, ". ", report.summary());
  absl::StrAppend(&text, "\n");
  if (!report.rule().empty()) absl::StrAppend(&text, "rule: ", report.rule(), "\n");
  for (const v1::GateOutcome& gate : report.gates()) {
    if (!gate.passed()) absl::StrAppend(&text, "gate ", v1::Gate_Name(gate.gate()), ": ", gate.detail(), "\n");
  }
  for (int i = 0; i < std::min(report.diagnostics_size(), kMaxDiagnostics); ++i) {
    absl::StrAppend(&text, DiagnosticText(report.diagnostics(i)), "\n");
  }
  AppendCases(report, task, text);
  if (report.exit_signal() != 0) absl::StrAppend(&text, "the candidate died of signal ", report.exit_signal(), "\n");
  if (report.status() != v1::PASSED && !report.output_excerpt().empty()) {
    absl::StrAppend(&text, "it printed: ", report.output_excerpt(), "\n");
  }
  AppendTimes(report, text);
  return text;
}

std::string FeedbackLine(const v1::EvaluationReport& report, const v1::TaskSpec& task) {
  std::string line = v1::EvaluationStatus_Name(report.status());
  if (!report.summary().empty()) absl::StrAppend(&line, ": ", report.summary());
  const v1::Mismatch* mismatch = FirstMismatch(report, task);
  if (mismatch != nullptr && !mismatch->pattern().empty()) absl::StrAppend(&line, " (", mismatch->pattern(), ")");
  return line;
}

std::string DiagnosticText(const v1::Diagnostic& diagnostic) {
  std::string text = diagnostic.file();
  if (diagnostic.line() > 0) absl::StrAppend(&text, ":", diagnostic.line());
  if (diagnostic.column() > 0) absl::StrAppend(&text, ":", diagnostic.column());
  if (!text.empty()) absl::StrAppend(&text, ": ");
  if (diagnostic.severity() != v1::Diagnostic::SEVERITY_UNSPECIFIED) {
    absl::StrAppend(&text, absl::AsciiStrToLower(v1::Diagnostic::Severity_Name(diagnostic.severity())), ": ");
  }
  absl::StrAppend(&text, diagnostic.text());
  if (!diagnostic.rule().empty()) absl::StrAppend(&text, " [", diagnostic.rule(), "]");
  return text;
}

std::string LatestError(const v1::EvaluationReport& report, const v1::TaskSpec& task) {
  if (report.status() == v1::PASSED || report.status() == v1::EVALUATION_STATUS_UNSPECIFIED) return "";
  for (const v1::Diagnostic& diagnostic : report.diagnostics()) {
    if (diagnostic.severity() >= v1::Diagnostic::ERROR) return diagnostic.text();
  }
  const v1::Mismatch* mismatch = FirstMismatch(report, task);
  if (mismatch != nullptr && !mismatch->pattern().empty()) return mismatch->pattern();
  return v1::EvaluationStatus_Name(report.status());
}

std::string CandidateText(const v1::Candidate& candidate) {
  if (candidate.files_size() == 1) return candidate.files(0).content();
  std::string text;
  for (const v1::SourceFile& file : candidate.files()) {
    absl::StrAppend(&text, "// ==== ", file.name(), "\n", file.content(), "\n");
  }
  return text;
}

}  // namespace kernelsmith::server
