// One evaluation from its first gate to its last. Every step records its gate and phases in the report; the first that
// fails ends it, and what was found before stays.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/random/random.h"
#include "absl/time/time.h"
#include "kernelsmith/v1/worker.pb.h"
#include "worker/locks/timing_lock.h"
#include "worker/pipeline/evaluate.h"
#include "worker/pipeline/finding_log.h"
#include "worker/pipeline/pool_shelf.h"
#include "worker/pipeline/recorder.h"
#include "worker/pipeline/verification_stage.h"
#include "worker/reference/reference_pool.h"
#include "worker/reference/variant_store.h"

namespace kernelsmith::worker {

// What evaluations of one worker share.
struct EvaluationResources {
  const EvaluatorOptions& options;
  ReferencePool& references;
  VariantStore& variants;
  const TimingLock& lock;
  PoolShelf& shelf;
};

class EvaluationRun {
 public:
  EvaluationRun(EvaluationResources resources, const v1::EvaluateWork& work, const EvaluationControl& control);

  // Screen and compile. False: the report is final.
  bool Build();
  // Everything after Build. REQUIRES: Build returned true.
  void Judge();
  // Verifies the incumbent too before it is timed. REQUIRES: before Judge.
  void RequireCorrectIncumbent() { check_incumbent_ = true; }

  v1::EvaluationReport TakeReport();

 private:
  bool Conclude(v1::Gate gate, const Verdict& verdict, absl::Time begin);
  Verdict ScreenCandidate();
  Verdict CompileCandidate(const v1::Candidate& candidate, bool incumbent, CompiledObject& object);
  Verdict Lock(LockMode mode);
  Verdict MakeReferences();
  Verdict LoadCandidate(const CompiledObject& object, std::unique_ptr<CandidateProcess>& process);
  Verdict VerifyIncumbent();
  Verdict TimeCandidate();
  Verdict TimeOneCase(VerificationCase& entry, const absl::Duration cap);
  bool RunCensus();
  // What the sanitizer says of the first case joins the findings.
  void Sanitize();
  absl::StatusOr<std::string> SanitizerMessages();
  void FinishTimings();
  void NotePrinted(const ExitReport& exit);
  void Progress(const char* activity) const;
  absl::StatusOr<Reference*> AcquireReference();
  RunSpec SpecFor(const CompiledObject& object) const;
  DeviceRuntime& runtime() const { return *resources_.options.runtime; }
  // Of a phase; 0 seconds are the standard. What is left of the evaluation's own limit bounds it, but not while the
  // host is crowded.
  absl::Duration LimitOf(double seconds, double standard) const;
  TimeLimit Limit(double seconds, double standard) const;
  // What a phase waited for a processor does not count.
  void Excuse(const TimeLimit& limit) { excused_ += limit.elapsed() - limit.counted(); }
  std::vector<VerificationCase*> TimedCases();

  const EvaluationResources resources_;
  const v1::EvaluateWork& work_;
  const EvaluationControl& control_;
  const absl::Duration evaluation_;
  const absl::Time begin_;
  const absl::Time deadline_;  // on a host that is as busy as may be
  absl::Duration excused_;     // since begin_: waits for locks and for processors
  v1::EvaluationReport report_;
  absl::BitGen random_;
  bool check_incumbent_ = false;
  std::optional<TimingLock::Hold> hold_;
  ReferencePool::Lease reference_;
  CompiledObject object_;
  CompiledObject incumbent_;
  std::vector<VerificationCase> cases_;
  std::unique_ptr<CandidateProcess> process_;
  FindingLog findings_;
  std::string printed_;
  std::string incumbent_note_;
  std::string sanitizer_note_;
};

}  // namespace kernelsmith::worker
