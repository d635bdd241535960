#include "client/cli/text/report_text.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/text/format.h"
#include "client/cli/text/table.h"

namespace kernelsmith::client {
namespace {

constexpr int kShownDiagnostics = 20;

std::string DiagnosticsText(const v1::EvaluationReport& report) {
  std::string text;
  for (int i = 0; i < report.diagnostics_size() && i < kShownDiagnostics; ++i) {
    const v1::Diagnostic& diagnostic = report.diagnostics(i);
    const std::string place = diagnostic.file().empty() ? ""
                                                        : absl::StrCat(diagnostic.file(), ":", diagnostic.line(), ":",
                                                                       diagnostic.column(), ": ");
    absl::StrAppend(&text, "  ", place, FormatEnum(v1::Diagnostic::Severity_Name(diagnostic.severity())), ": ",
                    OneLine(diagnostic.text(), 300), diagnostic.rule().empty() ? "" : " [" + diagnostic.rule() + "]",
                    "\n");
  }
  if (report.diagnostics_size() > kShownDiagnostics) {
    absl::StrAppend(&text, "  and ", report.diagnostics_size() - kShownDiagnostics, " more\n");
  }
  return text;
}

std::string MismatchText(const v1::Mismatch& mismatch) {
  std::string text =
      absl::StrCat("    ", mismatch.output(), ": ", mismatch.wrong(), " of ", mismatch.elements(), " elements wrong");
  if (!mismatch.pattern().empty()) absl::StrAppend(&text, ", ", mismatch.pattern());
  if (!mismatch.worst_index().empty()) {
    absl::StrAppendFormat(&text, "; worst at [%s]: got %.9g, expected %.9g, allowed difference %.3g",
                          absl::StrJoin(mismatch.worst_index(), ", "), mismatch.got(), mismatch.expected(),
                          mismatch.allowed());
  }
  return text + "\n";
}

std::string CasesText(const v1::EvaluationReport& report) {
  std::string text;
  for (const v1::CaseReport& one : report.cases()) {
    absl::StrAppend(&text, "  case ", one.case_id(), ": ", FormatEnum(v1::EvaluationStatus_Name(one.status())));
    if (one.status() == v1::PASSED)
      absl::StrAppendFormat(&text, ", max error %.3g abs %.3g rel", one.max_abs_error(), one.max_rel_error());
    if (one.nondeterministic()) absl::StrAppend(&text, ", differs between runs");
    if (!one.detail().empty()) absl::StrAppend(&text, ": ", OneLine(one.detail(), 300));
    text += "\n";
    for (const v1::Mismatch& mismatch : one.mismatches()) text += MismatchText(mismatch);
  }
  return text;
}

std::string TimesText(const v1::EvaluationReport& report) {
  Table table({"case", "mean", "median", "p10", "p90", "cv", "samples", "baseline", "speed-up", "95 % interval"},
              {Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight, Align::kRight, Align::kRight,
               Align::kRight, Align::kRight});
  for (const v1::CaseTiming& timing : report.timings()) {
    const v1::Timing& own = timing.candidate();
    const bool paired = timing.has_against_baseline();
    table.Add({timing.case_id(), FormatMicros(own.mean_us()), FormatMicros(own.median_us()), FormatMicros(own.p10_us()),
               FormatMicros(own.p90_us()), FormatPercent(own.cv()), absl::StrCat(own.samples()),
               timing.has_baseline() ? FormatMicros(timing.baseline().mean_us()) : "-",
               paired ? FormatRatio(timing.against_baseline().ratio()) : "-",
               paired
                   ? absl::StrFormat("%.3f to %.3f", timing.against_baseline().low(), timing.against_baseline().high())
                   : ""});
  }
  return table.empty() ? "" : "times\n" + table.Render();
}

}  // namespace

std::string GateLine(const google::protobuf::RepeatedPtrField<v1::GateOutcome>& gates) {
  std::vector<std::string> parts;
  for (const v1::GateOutcome& gate : gates) {
    const std::string name = FormatEnum(v1::Gate_Name(gate.gate()));
    parts.push_back(
        gate.passed()
            ? name + " ok"
            : absl::StrCat(name, " FAILED", gate.detail().empty() ? "" : " (" + OneLine(gate.detail(), 120) + ")"));
  }
  return absl::StrJoin(parts, ", ");
}

std::string ReportText(const v1::EvaluationReport& report) {
  std::string text =
      absl::StrCat(v1::EvaluationStatus_Name(report.status()), "  ", OneLine(report.summary(), 400), "\n");
  if (!report.rule().empty()) absl::StrAppend(&text, "rule   ", report.rule(), "\n");
  if (!report.gates().empty()) absl::StrAppend(&text, "gates  ", GateLine(report.gates()), "\n");
  if (report.exit_signal() != 0) absl::StrAppend(&text, "signal ", report.exit_signal(), "\n");
  absl::StrAppend(&text, DiagnosticsText(report), CasesText(report));
  if (!report.output_excerpt().empty()) {
    absl::StrAppend(&text, "the candidate printed\n  ", OneLine(report.output_excerpt(), 1000), "\n");
  }
  if (report.latency_us() > 0) {
    absl::StrAppend(&text, "latency ", FormatMicros(report.latency_us()));
    if (report.baseline_us() > 0) {
      absl::StrAppend(&text, ", ", FormatRatio(report.speedup_vs_baseline()), " against ",
                      report.environment().baseline().empty() ? "the baseline" : report.environment().baseline(), " (",
                      FormatMicros(report.baseline_us()), ")");
    }
    text += "\n";
  }
  text += TimesText(report);
  const v1::Environment& environment = report.environment();
  if (!environment.worker_id().empty()) {
    absl::StrAppend(&text, "worker ", environment.worker_id(), ", ", environment.target().soc(), ", ",
                    environment.target().toolchain(), "; isolation ", environment.isolation(), "\n");
  }
  return text;
}

std::string ComparisonText(const v1::EvaluationReport& report) {
  if (!report.has_against_incumbent()) return "no comparison: the two were not timed together\n";
  const v1::PairedRatio& ratio = report.against_incumbent();
  const std::string interval = absl::StrFormat("time of B / time of A = %.3f, 95 %% interval %.3f to %.3f",
                                               ratio.ratio(), ratio.low(), ratio.high());
  if (ratio.faster()) return absl::StrCat("A is faster: ", interval, "\n");
  if (ratio.slower()) return absl::StrCat("B is faster: ", interval, "\n");
  return absl::StrCat("no difference that the measurement can tell: ", interval, "\n");
}

}  // namespace kernelsmith::client
