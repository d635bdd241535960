#include "worker/pipeline/evaluate.h"

#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/mutex.h"
#include "worker/devices/cpu_runtime.h"
#include "worker/locks/timing_lock.h"
#include "worker/pipeline/evaluation_run.h"
#include "worker/pipeline/pool_shelf.h"
#include "worker/pipeline/slow_reference.h"
#include "worker/pipeline/verdicts.h"
#include "worker/reference/probes.h"
#include "worker/reference/reference_pool.h"
#include "worker/reference/task_identity.h"
#include "worker/reference/variant_store.h"

namespace kernelsmith::worker {
namespace {

constexpr int kIdleReferences = 2;
constexpr int64_t kVariantMemory = int64_t{256} << 20;
constexpr int64_t kShelfBytes = int64_t{512} << 20;
constexpr size_t kSlowTasks = 1000;  // remembered at most

// How this evaluator's references run: with its threads, and with the card where that is where the baseline runs.
ReferenceOptions ReferenceOf(const EvaluatorOptions& options) {
  ReferenceOptions reference = options.reference;
  reference.threads = options.cpu_count;
  if (options.runtime->timing().baseline) reference.card = options.runtime->timing().baseline_card;
  return reference;
}

EvaluatorOptions WithRuntime(EvaluatorOptions options) {
  if (options.runtime == nullptr) options.runtime = MakeCpuRuntime(options.cpu_count, options.runner_path);
  return options;
}

}  // namespace

struct Evaluator::State {
  explicit State(EvaluatorOptions given)
      : options(WithRuntime(std::move(given))),
        references(ReferenceOf(options), kIdleReferences),
        variants(VariantCache(options.cache_dir, options.reference_cache_bytes), kVariantMemory),
        lock(options.lock_dir),
        shelf(kShelfBytes) {}

  EvaluationResources Resources() { return {options, references, variants, lock, shelf}; }

  const EvaluatorOptions options;
  ReferencePool references;
  VariantStore variants;
  const TimingLock lock;
  PoolShelf shelf;

  // Tasks whose reference ran out of time beside others: the next inspection has the host to itself.
  common::Mutex mutex;
  std::set<std::string> slow_tasks GUARDED_BY(mutex);
};

Verdict Evaluator::Resolve(State& state, const v1::TaskSource& source, bool alone, std::stop_token stop,
                           v1::TaskSpec& spec) {
  TimeLimit limit(state.options.inspect_limit);
  const std::string hash = TaskHash(source);
  auto failed = [&](const absl::Status& status) -> Verdict {
    if (!absl::IsDeadlineExceeded(status)) return VerdictOfReference(status);
    const Verdict verdict =
        VerdictOfTimeOut({.limit = limit.limit(), .cpu = limit.used(), .starved = limit.starved(), .alone = alone});
    if (verdict.status == v1::INFRASTRUCTURE) {
      common::MutexLock lock(state.mutex);
      if (state.slow_tasks.size() >= kSlowTasks) state.slow_tasks.clear();
      state.slow_tasks.insert(hash);
    }
    return verdict;
  };
  auto reference = state.references.Acquire(source, limit, stop);
  if (!reference.ok()) return failed(reference.status());
  spec = (*reference)->spec();
  const absl::StatusOr<ProbeFindings> findings = ProbeTask(**reference, limit, stop);
  if (!findings.ok()) return failed(findings.status());
  for (const std::string& note : findings->notes) spec.add_probe_notes(note);
  if (!findings->refused.empty()) return {v1::INVALID_TASK, findings->refused};
  return {};
}

Evaluator::Evaluator(EvaluatorOptions options) : state_(std::make_unique<State>(std::move(options))) {}
Evaluator::~Evaluator() = default;

v1::InspectResult Evaluator::Inspect(const v1::TaskSource& source, const EvaluationControl& control) {
  v1::InspectResult result;
  bool alone = false;
  {
    common::MutexLock lock(state_->mutex);
    alone = state_->slow_tasks.erase(TaskHash(source)) > 0;
  }
  absl::StatusOr<TimingLock::Hold> hold;
  {
    const Phase phase("wait_lock", result.mutable_phases());
    hold = state_->lock.Acquire(alone ? LockMode::kExclusive : LockMode::kShared, control.stop,
                                absl::Now() + TimeLimit::kStretch * state_->options.inspect_limit);
  }
  Verdict verdict;
  if (hold.ok()) {
    const Phase phase("reference", result.mutable_phases());
    if (control.progress) control.progress("resolving and probing the task");
    verdict = Resolve(*state_, source, alone, control.stop, *result.mutable_spec());
  } else {
    verdict = VerdictOfHost(hold.status());
  }
  result.set_ok(verdict.passed());
  result.set_status(verdict.status);
  result.set_error(verdict.detail);
  return result;
}

v1::EvaluationReport Evaluator::Prepare(const v1::EvaluateWork& work, const EvaluationControl& control) {
  EvaluationRun run(state_->Resources(), work, control);
  run.Build();
  return run.TakeReport();
}

v1::EvaluationReport Evaluator::Evaluate(const v1::EvaluateWork& work, const EvaluationControl& control) {
  EvaluationRun run(state_->Resources(), work, control);
  if (run.Build()) run.Judge();
  return run.TakeReport();
}

v1::EvaluationReport Evaluator::Compare(const v1::CompareWork& work, const EvaluationControl& control) {
  v1::EvaluateWork both = work.a();
  *both.mutable_incumbent() = work.b();
  EvaluationRun run(state_->Resources(), both, control);
  run.RequireCorrectIncumbent();
  if (run.Build()) run.Judge();
  return run.TakeReport();
}

}  // namespace kernelsmith::worker
