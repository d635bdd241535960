// What every end of a process means: one table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "worker/pipeline/finding_log.h"
#include "worker/pipeline/recorder.h"
#include "worker/pipeline/verdicts.h"

namespace kernelsmith::worker {
namespace {

using ::testing::HasSubstr;

BatchOutcome Batch(BatchEnd end, int tasks = 0, FaultHint hint = FaultHint::kNone) {
  BatchOutcome outcome;
  outcome.end = end;
  outcome.tasks = tasks;
  outcome.hint = hint;
  outcome.return_code = 3;
  return outcome;
}

ExitReport Exit(ExitKind kind, int signal = 0) {
  ExitReport exit;
  exit.kind = kind;
  exit.signal = signal;
  return exit;
}

TEST(VerdictTest, EveryEndOfABatchHasItsStatus) {
  struct Case {
    BatchOutcome outcome;
    ExitReport exit;
    v1::EvaluationStatus status;
    const char* rule;
    const char* says;
  };
  const ExitReport none;
  const Case cases[] = {
      {Batch(BatchEnd::kDone, 1), none, v1::PASSED, "", ""},
      {Batch(BatchEnd::kDone, 3), none, v1::REWARD_HACK, "leftover-task", "2 thread"},
      {Batch(BatchEnd::kFailed, 1), none, v1::RUNTIME_ERROR, "", "returned 3"},
      {Batch(BatchEnd::kException, 1), none, v1::RUNTIME_ERROR, "", "exception"},
      {Batch(BatchEnd::kOutOfMemory, 1), none, v1::OUT_OF_MEMORY, "", "memory"},
      {Batch(BatchEnd::kDeadline), Exit(ExitKind::kDeadline), v1::TIMEOUT, "", "killed"},
      {Batch(BatchEnd::kProtocol), Exit(ExitKind::kKilled), v1::REWARD_HACK, "forged-answer", "forged"},
      {Batch(BatchEnd::kDied), Exit(ExitKind::kSignalled, SIGSEGV), v1::RUNTIME_ERROR, "", "SIGSEGV"},
      {Batch(BatchEnd::kDied), Exit(ExitKind::kSignalled, SIGXCPU), v1::TIMEOUT, "", "processor time"},
      {Batch(BatchEnd::kDied), Exit(ExitKind::kExited), v1::RUNTIME_ERROR, "", "exit code 0"},
      {Batch(BatchEnd::kDied), Exit(ExitKind::kOutputLimit), v1::OUTPUT_LIMIT, "", "printed"},
      {Batch(BatchEnd::kDied), Exit(ExitKind::kMemoryLimit), v1::OUT_OF_MEMORY, "", "memory"},
      {Batch(BatchEnd::kDied), Exit(ExitKind::kKilled), v1::EVALUATION_CANCELLED, "", "cancelled"},
      {Batch(BatchEnd::kDied, 0, FaultHint::kInputWrite), Exit(ExitKind::kSignalled, SIGSEGV), v1::INPUT_MUTATED, "",
       "inputs"},
      {Batch(BatchEnd::kDied, 0, FaultHint::kForbiddenCall), Exit(ExitKind::kSignalled, SIGSYS), v1::REWARD_HACK,
       "forbidden-call", "system call"},
      {Batch(BatchEnd::kStarved), Exit(ExitKind::kDeadline), v1::INFRASTRUCTURE, "", "the kernel"},
      {Batch(BatchEnd::kDied), Exit(ExitKind::kStarved), v1::INFRASTRUCTURE, "", "overloaded"},
  };
  for (const Case& entry : cases) {
    const Verdict verdict = VerdictOfBatch(entry.outcome, &entry.exit);
    EXPECT_EQ(verdict.status, entry.status) << entry.says;
    EXPECT_EQ(verdict.rule, entry.rule);
    EXPECT_THAT(verdict.detail, HasSubstr(entry.says));
  }
  EXPECT_EQ(VerdictOfBatch(Batch(BatchEnd::kDied), &cases[7].exit).signal, SIGSEGV);
}

v1::Finding Found(v1::Finding::Severity severity, const char* check, int line) {
  v1::Finding finding;
  finding.set_severity(severity);
  finding.set_check(check);
  finding.set_operation("Add");
  finding.set_file("kernel.asc");
  finding.set_line(line);
  finding.set_text("reads what may still be written");
  return finding;
}

TEST(VerdictTest, ATrustedRunnerNamesTheStatusItself) {
  BatchOutcome outcome = Batch(BatchEnd::kJudged, 1);
  outcome.status = v1::INPUT_MUTATED;
  outcome.detail = "the kernel changed input 0";
  const Verdict verdict = VerdictOfBatch(outcome, nullptr);
  EXPECT_EQ(verdict.status, v1::INPUT_MUTATED);
  EXPECT_EQ(verdict.detail, "the kernel changed input 0");
}

TEST(VerdictTest, AnErrorThatACheckerSawFailsEvenADoneBatch) {
  const std::pair<const char*, v1::EvaluationStatus> checks[] = {{"race", v1::RACE},
                                                                 {"conflict", v1::RACE},
                                                                 {"unordered", v1::RACE},
                                                                 {"hang", v1::TIMEOUT},
                                                                 {"timeout", v1::TIMEOUT},
                                                                 {"out_of_bounds", v1::RUNTIME_ERROR},
                                                                 {"capacity", v1::RUNTIME_ERROR},
                                                                 {"uninitialized", v1::RUNTIME_ERROR}};
  for (const auto& [check, status] : checks) {
    BatchOutcome outcome = Batch(BatchEnd::kDone, 1);
    outcome.findings = {Found(v1::Finding::NOTE, "pairing", 3), Found(v1::Finding::ERROR, check, 12)};
    const Verdict verdict = VerdictOfBatch(outcome, nullptr);
    EXPECT_EQ(verdict.status, status) << check;
    EXPECT_EQ(verdict.detail, "kernel.asc:12: Add: reads what may still be written");
  }
}

TEST(VerdictTest, NotesChangeNoVerdictAndACardsTroubleIsNotTheCandidates) {
  BatchOutcome outcome = Batch(BatchEnd::kDone, 1);
  outcome.findings = {Found(v1::Finding::NOTE, "race", 3)};
  EXPECT_TRUE(VerdictOfBatch(outcome, nullptr).passed());
  outcome = Batch(BatchEnd::kJudged);
  outcome.status = v1::INFRASTRUCTURE;
  outcome.findings = {Found(v1::Finding::ERROR, "race", 3)};
  EXPECT_EQ(VerdictOfBatch(outcome, nullptr).status, v1::INFRASTRUCTURE);
}

TEST(FindingLogTest, EqualFindingsAreOneAndErrorsComeFirst) {
  FindingLog log;
  log.Add({Found(v1::Finding::NOTE, "pairing", 1), Found(v1::Finding::ERROR, "race", 2)});
  log.Add({Found(v1::Finding::ERROR, "race", 2)});
  v1::EvaluationReport report;
  log.CopyTo(*report.mutable_findings());
  ASSERT_EQ(report.findings_size(), 2);
  EXPECT_EQ(report.findings(0).check(), "race");
  EXPECT_EQ(report.findings(0).count(), 2);
  EXPECT_EQ(report.findings(1).count(), 1);
}

TEST(FindingLogTest, AtMostFiftyAreReportedAndNoErrorGivesWayToANote) {
  FindingLog log;
  for (int line = 1; line <= 60; ++line) log.Add({Found(v1::Finding::NOTE, "pairing", line)});
  log.Add({Found(v1::Finding::ERROR, "race", 1)});
  v1::EvaluationReport report;
  log.CopyTo(*report.mutable_findings());
  EXPECT_EQ(report.findings_size(), 50);
  EXPECT_EQ(report.findings(0).check(), "race");
}

TEST(VerdictTest, TroubleWhileLoadingIsTheCandidatesOnlyIfItRan) {
  const ExitReport exit = Exit(ExitKind::kSignalled, SIGABRT);
  EXPECT_EQ(VerdictOfLoad(absl::FailedPreconditionError("undefined symbol"), &exit).status, v1::RUNTIME_ERROR);
  EXPECT_EQ(VerdictOfLoad(absl::UnimplementedError("no such call"), &exit).status, v1::UNSUPPORTED);
  EXPECT_EQ(VerdictOfLoad(absl::DeadlineExceededError("slow"), &exit).status, v1::TIMEOUT);
  EXPECT_EQ(VerdictOfLoad(absl::ResourceExhaustedError("memory"), &exit).status, v1::OUT_OF_MEMORY);
  const Verdict aborted = VerdictOfLoad(absl::AbortedError("died"), &exit);
  EXPECT_EQ(aborted.status, v1::RUNTIME_ERROR);
  EXPECT_EQ(aborted.signal, SIGABRT);
  EXPECT_EQ(VerdictOfLoad(absl::FailedPreconditionError("no runner"), nullptr).status, v1::INFRASTRUCTURE);
}

TEST(VerdictTest, TroubleWithTheReferenceIsNeverTheCandidates) {
  for (const auto& [status, verdict] : {std::pair{absl::InvalidArgumentError("x"), v1::INVALID_TASK},
                                        std::pair{absl::ResourceExhaustedError("x"), v1::INVALID_TASK},
                                        std::pair{absl::UnavailableError("x"), v1::INFRASTRUCTURE},
                                        std::pair{absl::DeadlineExceededError("x"), v1::INFRASTRUCTURE},
                                        std::pair{absl::DataLossError("x"), v1::INFRASTRUCTURE},
                                        std::pair{absl::CancelledError("x"), v1::EVALUATION_CANCELLED}}) {
    EXPECT_EQ(VerdictOfReference(status).status, verdict) << status;
  }
}

TEST(VerdictTest, ACompilerErrorIsQuotedWithItsPlace) {
  CompileResult result;
  result.outcome = CompileOutcome::kError;
  v1::Diagnostic warning;
  warning.set_severity(v1::Diagnostic::WARNING);
  warning.set_text("unused");
  v1::Diagnostic error;
  error.set_severity(v1::Diagnostic::ERROR);
  error.set_file("kernel.cpp");
  error.set_line(7);
  error.set_text("expected ';'");
  result.diagnostics = {warning, error};
  EXPECT_EQ(VerdictOfCompile(result).detail, "kernel.cpp:7: expected ';'");
  result.outcome = CompileOutcome::kUnsupported;
  EXPECT_EQ(VerdictOfCompile(result).status, v1::UNSUPPORTED);
  result.outcome = CompileOutcome::kForbidden;
  result.rule = "host-code";
  EXPECT_EQ(VerdictOfCompile(result).status, v1::REWARD_HACK);
  EXPECT_EQ(VerdictOfCompile(result).rule, "host-code");
  result.outcome = CompileOutcome::kTimeout;
  EXPECT_EQ(VerdictOfCompile(result).status, v1::COMPILE_TIMEOUT);
  result.outcome = CompileOutcome::kOutOfMemory;
  EXPECT_EQ(VerdictOfCompile(result).status, v1::COMPILE_ERROR);
  result.outcome = CompileOutcome::kOk;
  EXPECT_TRUE(VerdictOfCompile(result).passed());
}

TEST(RecorderTest, TheFailedGateDecidesTheReport) {
  v1::EvaluationReport report;
  RecordGate(v1::SCREEN, {}, absl::Milliseconds(5), report);
  EXPECT_EQ(report.status(), v1::EVALUATION_STATUS_UNSPECIFIED);
  RecordGate(v1::LOAD, {v1::RUNTIME_ERROR, "died", "", 11}, absl::Seconds(1), report);
  EXPECT_EQ(report.status(), v1::RUNTIME_ERROR);
  EXPECT_EQ(report.summary(), "load: died");
  EXPECT_EQ(report.exit_signal(), 11);
  ASSERT_EQ(report.gates_size(), 2);
  EXPECT_TRUE(report.gates(0).passed());
  EXPECT_FALSE(report.gates(1).passed());
  EXPECT_DOUBLE_EQ(report.gates(1).seconds(), 1);
}

TEST(RecorderTest, APhaseIsAnInterval) {
  v1::EvaluationReport report;
  common::ManualClock clock(absl::FromUnixMicros(1000));
  {
    const Phase phase("compile", report.mutable_phases(), clock);
    clock.Advance(absl::Microseconds(250));
  }
  ASSERT_EQ(report.phases_size(), 1);
  EXPECT_EQ(report.phases(0).kind(), "compile");
  EXPECT_EQ(report.phases(0).begin_unix_us(), 1000);
  EXPECT_EQ(report.phases(0).end_unix_us(), 1250);
}

}  // namespace
}  // namespace kernelsmith::worker
