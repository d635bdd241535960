#include "worker/pipeline/evaluation_run.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "common/hash.h"
#include "common/status.h"
#include "worker/diagnostics/printable.h"
#include "worker/diagnostics/sanitizer_messages.h"
#include "worker/jail/jail.h"
#include "worker/pipeline/timing_stage.h"
#include "worker/pipeline/verdicts.h"
#include "worker/reference/task_identity.h"
#include "worker/timing/statistics.h"

namespace kernelsmith::worker {
namespace {

constexpr int kVariants = 2;  // per case: two sets of inputs, each seen twice
constexpr int kTimedCasesInSearch = 3;
constexpr int kFinalCapFactor = 3;
constexpr size_t kExcerptBytes = 4096;
constexpr absl::Duration kSanitizerGrace = absl::Seconds(30);  // it writes its report at the end
constexpr int kMaxDiagnostics = 50;

double OrDefault(double value, double standard) { return value > 0 ? value : standard; }

std::string CandidateHash(const v1::Candidate& candidate) {
  std::string all = common::HashFields("candidate", absl::StrCat(candidate.kind()));
  for (const v1::SourceFile& file : candidate.files()) all = common::HashFields(all, file.name(), file.content());
  return all;
}

}  // namespace

EvaluationRun::EvaluationRun(EvaluationResources resources, const v1::EvaluateWork& work,
                             const EvaluationControl& control)
    : resources_(resources),
      work_(work),
      control_(control),
      evaluation_(absl::Seconds(OrDefault(work.options().limits().evaluation_s(), 300))),
      begin_(absl::Now()),
      deadline_(begin_ + TimeLimit::kStretch * evaluation_) {
  const EvaluatorOptions& options = resources_.options;
  report_.set_candidate_hash(CandidateHash(work.candidate()));
  report_.set_task_hash(work.spec().hash());
  report_.set_epoch(work.epoch());
  v1::Environment* environment = report_.mutable_environment();
  *environment->mutable_target() = options.target;
  environment->set_worker_id(options.worker_id);
  environment->set_card_id(options.card_id);
  environment->set_isolation(ObtainedIsolation());
  environment->set_host(options.host);
  environment->set_compile_flags(options.toolchain->flags());
  environment->set_noise_floor(options.noise_floor);
  environment->set_emulated(options.emulated);
  const TimingPolicy& timing = runtime().timing();
  if (!timing.baseline) {
    environment->set_baseline(timing.no_baseline.empty() ? "" : absl::StrCat("none: ", timing.no_baseline));
  } else if (timing.baseline_card.device.empty()) {
    environment->set_baseline(work.spec().baseline());
  } else {
    environment->set_baseline(absl::StrCat(timing.baseline_card.software, " on ", timing.baseline_card.device));
  }
}

void EvaluationRun::Progress(const char* activity) const {
  if (control_.progress) control_.progress(activity);
}

absl::Duration EvaluationRun::LimitOf(double seconds, double standard) const {
  const absl::Duration limit = std::min(evaluation_, absl::Seconds(OrDefault(seconds, standard)));
  const absl::Duration left = evaluation_ - (absl::Now() - begin_ - excused_);
  if (left >= limit || (absl::Now() < deadline_ && MachineIsCrowded())) return limit;
  return std::max(left, absl::ZeroDuration());
}

TimeLimit EvaluationRun::Limit(double seconds, double standard) const { return TimeLimit(LimitOf(seconds, standard)); }

bool EvaluationRun::Conclude(v1::Gate gate, const Verdict& verdict, absl::Time begin) {
  Verdict final = verdict;
  if (control_.stop.stop_requested() && !final.passed()) {
    final = {v1::EVALUATION_CANCELLED, "the evaluation was cancelled"};
  } else if (absl::Now() >= deadline_ && (final.status == v1::INFRASTRUCTURE || final.status == v1::TIMEOUT)) {
    final.status = v1::INFRASTRUCTURE;
    final.detail = absl::StrCat("the evaluation's time was over: ", final.detail);
  }
  RecordGate(gate, final, absl::Now() - begin, report_);
  return final.passed();
}

Verdict EvaluationRun::ScreenCandidate() {
  const Phase phase("screen", report_.mutable_phases());
  Progress("screening");
  if (work_.spec().hash() != TaskHash(work_.task())) {
    return {v1::INVALID_TASK, "the specification belongs to another task; inspect the task again"};
  }
  const std::vector<v1::Diagnostic> findings = resources_.options.toolchain->Screen(work_.candidate());
  for (const v1::Diagnostic& finding : findings) *report_.add_diagnostics() = finding;
  if (findings.empty()) return {};
  const v1::Diagnostic& first = findings.front();
  return {v1::REWARD_HACK, absl::StrCat(first.file(), ":", first.line(), ": ", first.text()), first.rule()};
}

Verdict EvaluationRun::CompileCandidate(const v1::Candidate& candidate, bool incumbent, CompiledObject& object) {
  CompileLimits limits;
  limits.wall = LimitOf(work_.options().limits().compile_s(), 60);
  const absl::StatusOr<CompileResult> result = resources_.options.toolchain->Compile(candidate, limits);
  if (!result.ok()) {
    if (absl::IsInvalidArgument(result.status())) {
      return {v1::COMPILE_ERROR, std::string(result.status().message())};
    }
    return VerdictOfHost(result.status());
  }
  excused_ += std::max(result->wall - limits.wall, absl::ZeroDuration());
  object = *result;
  if (incumbent) return VerdictOfCompile(*result);
  report_.set_compile_cache(result->cache_hit ? "hit" : "miss");
  for (const v1::Diagnostic& diagnostic : result->diagnostics) {
    if (report_.diagnostics_size() < kMaxDiagnostics) *report_.add_diagnostics() = diagnostic;
  }
  if (control_.log && !result->log.empty()) control_.log("compiler.log", result->log);
  return VerdictOfCompile(*result);
}

Verdict EvaluationRun::Lock(LockMode mode) {
  const Phase phase("wait_lock", report_.mutable_phases());
  const absl::Time begin = absl::Now();
  auto hold = resources_.lock.Acquire(mode, control_.stop, deadline_);
  excused_ += absl::Now() - begin;
  if (!hold.ok()) return VerdictOfHost(hold.status());
  hold_ = *std::move(hold);
  return {};
}

bool EvaluationRun::Build() {
  absl::Time begin = absl::Now();
  if (!Conclude(v1::SCREEN, ScreenCandidate(), begin)) return false;
  begin = absl::Now();
  Verdict verdict = Lock(LockMode::kShared);
  if (verdict.passed()) {
    const Phase phase("compile", report_.mutable_phases());
    Progress("compiling");
    verdict = CompileCandidate(work_.candidate(), false, object_);
    if (verdict.passed() && work_.has_incumbent()) {
      const Verdict incumbent = CompileCandidate(work_.incumbent(), true, incumbent_);
      if (!incumbent.passed()) {
        incumbent_ = {};
        incumbent_note_ = absl::StrCat("the incumbent does not compile here: ", incumbent.detail);
      }
    }
  }
  if (!Conclude(v1::COMPILE, verdict, begin)) return false;
  report_.set_status(v1::PASSED);
  report_.set_summary("compiled");
  return true;
}

absl::StatusOr<Reference*> EvaluationRun::AcquireReference() {
  if (reference_.get() == nullptr || !reference_->alive()) {
    TimeLimit limit = Limit(work_.options().limits().reference_s(), 120);
    ASSIGN_OR_RETURN(reference_, resources_.references.Acquire(work_.task(), limit, control_.stop));
  }
  return reference_.get();
}

Verdict EvaluationRun::MakeReferences() {
  const Phase phase("reference", report_.mutable_phases());
  Progress("making inputs and expected outputs");
  TimeLimit limit = Limit(work_.options().limits().reference_s(), 120);
  for (const v1::TaskCase& task_case : work_.spec().cases()) {
    std::vector<std::shared_ptr<const Variant>> variants;
    for (uint32_t variant = 0; variant < kVariants; ++variant) {
      const VariantKey key{work_.spec().hash(), task_case.id(), variant, work_.epoch()};
      auto made = resources_.variants.Get(
          task_case, key, work_.input_secret(), [this] { return AcquireReference(); }, limit, control_.stop);
      if (!made.ok()) return VerdictOfReference(made.status());
      variants.push_back(*std::move(made));
    }
    auto entry = MakeVerificationCase(task_case, std::move(variants), resources_.shelf);
    if (!entry.ok()) return VerdictOfHost(entry.status());
    cases_.push_back(*std::move(entry));
  }
  Excuse(limit);
  return {};
}

RunSpec EvaluationRun::SpecFor(const CompiledObject& object) const {
  const v1::Limits& limits = work_.options().limits();
  RunSpec spec;
  spec.object = object;
  if (limits.memory_bytes() > 0) spec.limits.memory_bytes = limits.memory_bytes();
  if (limits.output_bytes() > 0) spec.limits.output_bytes = limits.output_bytes();
  return spec;
}

Verdict EvaluationRun::LoadCandidate(const CompiledObject& object, std::unique_ptr<CandidateProcess>& process) {
  RunSpec spec = SpecFor(object);
  for (const VerificationCase& entry : cases_) spec.pool_bytes += entry.pool->total_bytes();
  ExitReport exit;
  exit.wall = -absl::Seconds(1);  // stays if the process never ran
  auto started = runtime().Start(spec, &exit);
  if (!started.ok()) {
    const bool ran = exit.wall >= absl::ZeroDuration();
    if (ran) NotePrinted(exit);
    return VerdictOfLoad(started.status(), ran ? &exit : nullptr);
  }
  process = *std::move(started);
  for (VerificationCase& entry : cases_) {
    const absl::StatusOr<int> handle = process->AddPool(*entry.pool);
    if (!handle.ok()) {
      const ExitReport ended = process->Quit(absl::ZeroDuration());
      NotePrinted(ended);
      return VerdictOfLoad(handle.status(), &ended);
    }
    entry.handle = *handle;
  }
  return {};
}

void EvaluationRun::NotePrinted(const ExitReport& exit) { absl::StrAppend(&printed_, exit.output, exit.errors); }

// The process quits by itself once asked; what is still there afterwards was left behind.
bool EvaluationRun::RunCensus() {
  const Phase phase("verify", report_.mutable_phases());
  const absl::Time begin = absl::Now();
  Verdict verdict;
  const int tasks = process_->CountTasks();
  const ExitReport exit = process_->Quit();
  NotePrinted(exit);
  if (tasks > 1) {
    verdict = {v1::REWARD_HACK, absl::StrCat(tasks - 1, " thread(s) or process(es) were left behind"), "leftover-task"};
  } else if (exit.kind == ExitKind::kStarved) {
    verdict = {v1::INFRASTRUCTURE, "the process did not quit when asked because the host is overloaded"};
  } else if (exit.kind == ExitKind::kDeadline) {
    verdict = {v1::REWARD_HACK, "the process did not quit when asked; it was killed", "leftover-task"};
  } else if (exit.kind == ExitKind::kOutputLimit) {
    verdict = {v1::OUTPUT_LIMIT, "the kernel printed more than allowed"};
  }
  return Conclude(v1::CENSUS, verdict, begin);
}

Verdict EvaluationRun::VerifyIncumbent() {
  std::unique_ptr<CandidateProcess> process;
  Verdict verdict = LoadCandidate(incumbent_, process);
  if (!verdict.passed()) return verdict;
  const std::stop_callback kill(control_.stop, [&] { process->Kill(); });
  std::vector<v1::CaseReport> reports;
  for (VerificationCase& entry : cases_) reports.push_back(entry.report);
  for (int pass = 0; pass < 2 && verdict.passed(); ++pass) {
    FindingLog of_incumbent;
    TimeLimit limit = Limit(work_.options().limits().run_s(), 60);
    verdict = RunVerificationPass(*process, absl::MakeSpan(cases_), work_.spec().tolerance(), limit, random_, nullptr,
                                  of_incumbent);
    Excuse(limit);
  }
  for (size_t i = 0; i < cases_.size(); ++i) {
    cases_[i].report = reports[i];
    cases_[i].fingerprints.assign(cases_[i].variants.size(), 0);
  }
  return verdict;
}

void EvaluationRun::Judge() {
  report_.clear_summary();
  absl::Time begin = absl::Now();
  Verdict verdict = MakeReferences();
  if (verdict.passed()) {
    const Phase phase("verify", report_.mutable_phases());
    if (check_incumbent_ && !incumbent_.empty()) {
      if (const Verdict other = VerifyIncumbent(); !other.passed()) {
        incumbent_note_ = absl::StrCat("the other candidate is not correct: ", other.detail);
        incumbent_ = {};
      }
    }
    verdict = LoadCandidate(object_, process_);
  }
  if (!Conclude(v1::LOAD, verdict, begin)) return;
  const std::stop_callback kill(control_.stop, [this] { process_->Kill(); });
  const v1::Gate passes[] = {v1::VERIFY, v1::REVERIFY};
  for (const v1::Gate gate : passes) {
    begin = absl::Now();
    {
      const Phase phase("verify", report_.mutable_phases());
      TimeLimit limit = Limit(work_.options().limits().run_s(), 60);
      verdict = RunVerificationPass(*process_, absl::MakeSpan(cases_), work_.spec().tolerance(), limit, random_,
                                    control_.progress, findings_);
      Excuse(limit);
    }
    if (!verdict.passed()) NotePrinted(process_->Quit(absl::ZeroDuration()));
    const bool last = !verdict.passed() || gate == v1::REVERIFY;
    if (last && work_.options().sanitize()) Sanitize();
    if (!Conclude(gate, verdict, begin)) return;
  }
  if (!work_.options().skip_timing()) {
    begin = absl::Now();
    if (!Conclude(v1::TIME, TimeCandidate(), begin)) return;
    FinishTimings();
  }
  if (!RunCensus()) return;
  report_.set_status(v1::PASSED);
}

absl::StatusOr<std::string> EvaluationRun::SanitizerMessages() {
  RETURN_IF_ERROR(runtime().CanSanitize());
  CompileLimits limits;
  limits.wall = std::min(absl::Seconds(OrDefault(work_.options().limits().compile_s(), 60)), deadline_ - absl::Now());
  ASSIGN_OR_RETURN(const CompileResult built,
                   resources_.options.toolchain->Compile(work_.candidate(), limits, Build::kSanitized));
  if (built.outcome != CompileOutcome::kOk) {
    return absl::FailedPreconditionError("the kernel does not compile with what the sanitizer needs");
  }
  VerificationCase& entry = cases_.front();
  RunSpec spec = SpecFor(built);
  spec.sanitized = true;
  spec.pool_bytes = entry.pool->total_bytes();
  ASSIGN_OR_RETURN(const std::unique_ptr<CandidateProcess> process, runtime().Start(spec, nullptr));
  const std::stop_callback kill(control_.stop, [&] { process->Kill(); });
  ASSIGN_OR_RETURN(const int handle, process->AddPool(*entry.pool));
  // Whatever becomes of the call was judged before; here the messages count.
  RETURN_IF_ERROR(process->RunBatch(handle, {0}, Limit(work_.options().limits().run_s(), 60)).status());
  const ExitReport exit = process->Quit(kSanitizerGrace);
  return absl::StrCat(exit.output, exit.errors);
}

void EvaluationRun::Sanitize() {
  const Phase phase("sanitize", report_.mutable_phases());
  Progress("running under the sanitizer");
  const absl::StatusOr<std::string> messages = SanitizerMessages();
  if (!messages.ok()) {
    sanitizer_note_ = absl::StrCat("not sanitized: ", messages.status().message());
    return;
  }
  findings_.Add(ParseSanitizerMessages(*messages));
  if (control_.log) control_.log("sanitizer.log", *messages);
}

std::vector<VerificationCase*> EvaluationRun::TimedCases() {
  std::vector<VerificationCase*> timed;
  for (VerificationCase& entry : cases_) {
    if (entry.task_case->timed()) timed.push_back(&entry);
  }
  if (!work_.options().final() && timed.size() > kTimedCasesInSearch) timed.resize(kTimedCasesInSearch);
  return timed;
}

Verdict EvaluationRun::TimeCandidate() {
  const std::vector<VerificationCase*> timed = TimedCases();
  const absl::Duration total = resources_.options.timing_cap * (work_.options().final() ? kFinalCapFactor : 1);
  for (VerificationCase* entry : timed) {
    Verdict verdict = TimeOneCase(*entry, total / static_cast<int>(timed.size()));
    if (verdict.passed()) continue;
    entry->report.set_status(verdict.status);
    entry->report.set_detail(verdict.detail);
    return verdict;
  }
  return {};
}

Verdict EvaluationRun::TimeOneCase(VerificationCase& entry, const absl::Duration cap) {
  const v1::EvaluationOptions& options = work_.options();
  TimingRequest request;
  request.task_case = entry.task_case;
  request.variants = entry.variants;
  request.runtime = &runtime();
  request.candidate = SpecFor(object_);
  request.incumbent = incumbent_;
  request.shelf = &resources_.shelf;
  request.measure.time_cap = cap;
  if (options.max_samples() > 0) request.measure.max_samples = options.max_samples();
  if (options.early_stop_relative() > 0) request.measure.early_stop_relative = options.early_stop_relative();
  request.stop = control_.stop;
  if (!options.skip_baseline() && runtime().timing().baseline) {
    const Phase phase("reference", report_.mutable_phases());
    const absl::StatusOr<Reference*> reference = AcquireReference();
    if (!reference.ok()) return VerdictOfReference(reference.status());
    request.baseline = *reference;
  }
  Progress("waiting for the timing lock");
  hold_.reset();  // a timer that shares would wait for itself
  const LockMode mode = runtime().timing().exclusive_host ? LockMode::kExclusive : LockMode::kShared;
  if (Verdict verdict = Lock(mode); !verdict.passed()) return verdict;
  Progress("timing");
  request.limit = LimitOf(options.limits().run_s(), 60);
  absl::StatusOr<TimingResult> result;
  {
    const Phase phase("time", report_.mutable_phases());
    result = TimeCase(request, random_);
  }
  hold_.reset();
  if (!result.ok()) return VerdictOfReference(result.status());
  absl::StrAppend(&printed_, result->printed);
  findings_.Add(result->findings.all());
  if (!result->note.empty()) {
    incumbent_note_ = result->note;
    incumbent_ = {};
  }
  if (!result->verdict.passed()) return result->verdict;

  if (Verdict verdict = Lock(LockMode::kShared); !verdict.passed()) return verdict;
  const Phase phase("reference", report_.mutable_phases());
  Progress("checking timed calls");
  const absl::StatusOr<Reference*> reference = AcquireReference();
  if (!reference.ok()) return VerdictOfReference(reference.status());
  TimeLimit limit = Limit(options.limits().reference_s(), 120);
  const absl::StatusOr<Verdict> checked = CheckKeptCalls(*entry.task_case, work_.spec().tolerance(), result->kept,
                                                         **reference, limit, control_.stop, entry.report);
  Excuse(limit);
  if (!checked.ok()) return VerdictOfReference(checked.status());
  if (!checked->passed()) return *checked;
  result->timing.set_verified_calls(static_cast<int>(result->kept.size()));
  *report_.add_timings() = result->timing;
  return {};
}

void EvaluationRun::FinishTimings() {
  std::vector<double> own;
  std::vector<double> baseline;
  std::vector<double> speedups;
  std::vector<v1::PairedRatio> incumbent;
  for (const v1::CaseTiming& timing : report_.timings()) {
    own.push_back(timing.candidate().mean_us());
    if (timing.has_baseline()) {
      baseline.push_back(timing.baseline().mean_us());
      speedups.push_back(timing.against_baseline().ratio());
    }
    if (timing.has_against_incumbent()) incumbent.push_back(timing.against_incumbent());
  }
  report_.set_latency_us(GeometricMean(own));
  report_.set_baseline_us(GeometricMean(baseline));
  report_.set_speedup_vs_baseline(GeometricMean(speedups));
  if (!incumbent.empty() && incumbent.size() == own.size()) {
    *report_.mutable_against_incumbent() = CombineRatios(incumbent);
  }
}

v1::EvaluationReport EvaluationRun::TakeReport() {
  for (VerificationCase& entry : cases_) {
    if (entry.report.passes_run() > 0) *report_.add_cases() = std::move(entry.report);
  }
  if (report_.status() == v1::PASSED && report_.summary().empty()) {
    std::string summary = "passed all gates";
    if (report_.latency_us() > 0)
      absl::StrAppend(&summary, absl::StrFormat("; %.1f us per call", report_.latency_us()));
    if (report_.speedup_vs_baseline() > 0) {
      absl::StrAppend(&summary, absl::StrFormat(", %.2fx PyTorch", report_.speedup_vs_baseline()));
    }
    if (report_.has_against_incumbent()) {
      absl::StrAppend(&summary, absl::StrFormat(", %.3fx the incumbent", report_.against_incumbent().ratio()));
    }
    report_.set_summary(summary);
  }
  for (const std::string& note : {incumbent_note_, sanitizer_note_}) {
    if (!note.empty()) report_.set_summary(absl::StrCat(report_.summary(), "; ", note));
  }
  findings_.CopyTo(*report_.mutable_findings());
  report_.set_output_excerpt(Printable(printed_, kExcerptBytes));
  if (control_.log && !printed_.empty()) control_.log("candidate.log", printed_);
  return std::move(report_);
}

}  // namespace kernelsmith::worker
