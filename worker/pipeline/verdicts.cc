#include "worker/pipeline/verdicts.h"

#include <csignal>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "worker/diagnostics/printable.h"

namespace kernelsmith::worker {
namespace {

constexpr size_t kDetailBytes = 300;

std::string Quoted(absl::string_view detail) {
  return detail.empty() ? std::string() : absl::StrCat(": ", Printable(detail, kDetailBytes));
}

Verdict VerdictOfExit(const ExitReport& exit, absl::string_view detail) {
  switch (exit.kind) {
    case ExitKind::kExited:
      return {v1::RUNTIME_ERROR,
              absl::StrCat("the kernel ended its process with exit code ", exit.code, Quoted(detail))};
    case ExitKind::kSignalled:
      if (exit.signal == SIGXCPU) return {v1::TIMEOUT, "the kernel used more processor time than allowed"};
      return {v1::RUNTIME_ERROR, absl::StrCat("the kernel died of ", SignalText(exit.signal), Quoted(detail)), "",
              exit.signal};
    case ExitKind::kDeadline:
      return {v1::TIMEOUT, "the kernel did not finish within its limit and was killed"};
    case ExitKind::kStarved:
      return {v1::INFRASTRUCTURE, "the kernel did not end within its limit because the host is overloaded"};
    case ExitKind::kOutputLimit:
      return {v1::OUTPUT_LIMIT, "the kernel printed more than allowed and was killed"};
    case ExitKind::kMemoryLimit:
      return {v1::OUT_OF_MEMORY, "the kernel ran out of the memory allowed to it"};
    case ExitKind::kKilled:
      return {v1::EVALUATION_CANCELLED, "the evaluation was cancelled"};
  }
  return {v1::INFRASTRUCTURE, "the candidate's process ended in an unknown way"};
}

v1::EvaluationStatus StatusOfCompile(CompileOutcome outcome) {
  if (outcome == CompileOutcome::kUnsupported) return v1::UNSUPPORTED;
  return outcome == CompileOutcome::kForbidden ? v1::REWARD_HACK : v1::COMPILE_ERROR;
}

// What a failed check makes of a candidate: an order that the hardware does not keep is a race.
v1::EvaluationStatus StatusOfCheck(absl::string_view check) {
  for (const char* race : {"race", "conflict", "unordered"}) {
    if (check == race) return v1::RACE;
  }
  for (const char* endless : {"hang", "timeout"}) {
    if (check == endless) return v1::TIMEOUT;
  }
  return v1::RUNTIME_ERROR;
}

}  // namespace

std::string SignalText(int signal) {
  const char* name = sigabbrev_np(signal);
  const char* text = sigdescr_np(signal);
  if (name == nullptr) return absl::StrCat("signal ", signal);
  return absl::StrFormat("SIG%s (%s)", name, text == nullptr ? "?" : text);
}

Verdict VerdictOfCompile(const CompileResult& result) {
  switch (result.outcome) {
    case CompileOutcome::kOk:
      return {};
    case CompileOutcome::kTimeout:
      return {v1::COMPILE_TIMEOUT,
              absl::StrFormat("the compiler did not finish within %.0f s; write less or simpler code",
                              absl::ToDoubleSeconds(result.wall))};
    case CompileOutcome::kOutOfMemory:
      return {v1::COMPILE_ERROR, "the compiler ran out of memory; write less or simpler code"};
    case CompileOutcome::kError:
    case CompileOutcome::kUnsupported:
    case CompileOutcome::kForbidden:
      break;
  }
  Verdict verdict{StatusOfCompile(result.outcome), "the compiler refused the source", result.rule};
  for (const v1::Diagnostic& diagnostic : result.diagnostics) {
    if (diagnostic.severity() < v1::Diagnostic::ERROR) continue;
    verdict.detail = diagnostic.line() > 0
                         ? absl::StrCat(diagnostic.file(), ":", diagnostic.line(), ": ", diagnostic.text())
                         : diagnostic.text();
    break;
  }
  return verdict;
}

Verdict VerdictOfLoad(const absl::Status& status, const ExitReport* exit) {
  const std::string text(status.message());
  if (exit == nullptr) return VerdictOfHost(status);
  switch (status.code()) {
    case absl::StatusCode::kFailedPrecondition:
      return {v1::RUNTIME_ERROR, text};
    case absl::StatusCode::kUnimplemented:
      return {v1::UNSUPPORTED, text};
    case absl::StatusCode::kDeadlineExceeded:
      return {v1::TIMEOUT, text};
    case absl::StatusCode::kResourceExhausted:
      return {v1::OUT_OF_MEMORY, text};
    case absl::StatusCode::kAborted:
      return VerdictOfExit(*exit, text);
    default:
      return VerdictOfHost(status);
  }
}

Verdict VerdictOfFindings(absl::Span<const v1::Finding> findings) {
  for (const v1::Finding& finding : findings) {
    if (finding.severity() != v1::Finding::ERROR) continue;
    std::string detail;
    if (finding.line() > 0) detail = absl::StrCat(finding.file(), ":", finding.line(), ": ");
    if (!finding.operation().empty()) absl::StrAppend(&detail, finding.operation(), ": ");
    absl::StrAppend(&detail, finding.text());
    return {StatusOfCheck(finding.check()), std::move(detail)};
  }
  return {};
}

Verdict VerdictOfBatch(const BatchOutcome& outcome, const ExitReport* exit) {
  // What a checker saw explains better than what came of it. Trouble of the card explains the findings.
  if (outcome.end != BatchEnd::kJudged || outcome.status != v1::INFRASTRUCTURE) {
    if (Verdict verdict = VerdictOfFindings(outcome.findings); !verdict.passed()) return verdict;
  }
  switch (outcome.end) {
    case BatchEnd::kDone:
      if (outcome.tasks <= 1) return {};
      return {v1::REWARD_HACK,
              absl::StrCat(outcome.tasks - 1,
                           " thread(s) or process(es) were still there when the call returned; join them"),
              "leftover-task"};
    case BatchEnd::kFailed:
      return {v1::RUNTIME_ERROR, absl::StrCat("ks_kernel returned ", outcome.return_code, "; 0 is success")};
    case BatchEnd::kException:
      return {v1::RUNTIME_ERROR, absl::StrCat("ks_kernel threw an exception", Quoted(outcome.detail))};
    case BatchEnd::kOutOfMemory:
      return {v1::OUT_OF_MEMORY, "the kernel ran out of the memory allowed to it"};
    case BatchEnd::kDeadline:
      return {v1::TIMEOUT, "the kernel did not finish within its limit and was killed"};
    case BatchEnd::kStarved:
      return {v1::INFRASTRUCTURE, absl::StrCat("the kernel ", outcome.detail)};
    case BatchEnd::kProtocol:
      return {v1::REWARD_HACK, absl::StrCat("the process forged an answer of the runner", Quoted(outcome.detail)),
              "forged-answer"};
    case BatchEnd::kJudged:
      return {outcome.status, outcome.detail};
    case BatchEnd::kDied:
      break;
  }
  if (outcome.hint == FaultHint::kInputWrite) {
    return {v1::INPUT_MUTATED, absl::StrCat("the kernel wrote to one of its inputs", Quoted(outcome.detail)), "",
            exit == nullptr ? 0 : exit->signal};
  }
  if (outcome.hint == FaultHint::kForbiddenCall) {
    return {v1::REWARD_HACK, absl::StrCat("the kernel made a system call that no kernel needs", Quoted(outcome.detail)),
            "forbidden-call", exit == nullptr ? 0 : exit->signal};
  }
  if (exit == nullptr) return {v1::INFRASTRUCTURE, "the candidate's process is gone"};
  return VerdictOfExit(*exit, outcome.detail);
}

Verdict VerdictOfReference(const absl::Status& status) {
  const std::string text(status.message());
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
      return {v1::INVALID_TASK, absl::StrCat("the reference fails: ", text)};
    case absl::StatusCode::kResourceExhausted:
      return {v1::INVALID_TASK,
              absl::StrCat("the reference needs too much memory: ", text, "; override the constants of the task")};
    default:
      return VerdictOfHost(status);
  }
}

Verdict VerdictOfHost(const absl::Status& status) {
  if (absl::IsCancelled(status)) return {v1::EVALUATION_CANCELLED, "the evaluation was cancelled"};
  return {v1::INFRASTRUCTURE, std::string(status.message())};
}

}  // namespace kernelsmith::worker
