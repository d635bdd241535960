#include "worker/pipeline/timing_stage.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/status.h"
#include "worker/pipeline/contestants.h"
#include "worker/pipeline/measurement.h"
#include "worker/pipeline/verdicts.h"
#include "worker/pipeline/verification_stage.h"
#include "worker/runner/tensor_layout.h"
#include "worker/timing/batch_plan.h"
#include "worker/timing/hardware_bound.h"
#include "worker/verification/compare.h"

namespace kernelsmith::worker {
namespace {

// One loaded candidate on the timing pool.
struct Runner {
  std::unique_ptr<CandidateProcess> process;
  std::unique_ptr<CandidateContestant> contestant;
};

absl::StatusOr<Runner> StartRunner(DeviceRuntime& runtime, RunSpec spec, const SlotPool& pool, EmptyKernel& empty,
                                   absl::Duration limit, Verdict& verdict) {
  ExitReport exit;
  exit.wall = -absl::Seconds(1);  // stays if the process never ran
  spec.pool_bytes = pool.total_bytes();
  auto process = runtime.Start(spec, &exit);
  if (!process.ok()) {
    verdict = VerdictOfLoad(process.status(), exit.wall < absl::ZeroDuration() ? nullptr : &exit);
    return process.status();
  }
  Runner runner;
  runner.process = *std::move(process);
  const absl::StatusOr<int> handle = runner.process->AddPool(pool);
  if (!handle.ok()) {
    exit = runner.process->Quit(absl::ZeroDuration());
    verdict = VerdictOfLoad(handle.status(), &exit);
    return handle.status();
  }
  runner.contestant =
      std::make_unique<CandidateContestant>(*runner.process, *handle, empty, runtime.timing().clock, limit);
  return runner;
}

std::string Printed(const ExitReport& exit) { return absl::StrCat(exit.output, exit.errors); }

// One measurement of everybody. The verdict is in `result`; false: the incumbent failed, try without it.
absl::StatusOr<bool> MeasureOnce(const TimingRequest& request, bool with_incumbent, SlotPool& pool, EmptyKernel& empty,
                                 absl::BitGenRef random, TimingResult& result) {
  const TimingPolicy& policy = request.runtime->timing();
  auto candidate = StartRunner(*request.runtime, request.candidate, pool, empty, request.limit, result.verdict);
  if (!candidate.ok())
    return result.verdict.status == v1::INFRASTRUCTURE ? candidate.status() : absl::StatusOr<bool>(true);
  const std::stop_callback kill(request.stop, [&] { (*candidate).process->Kill(); });
  std::vector<Contestant*> contestants = {candidate->contestant.get()};
  Runner incumbent;
  if (with_incumbent) {
    RunSpec spec = request.candidate;
    spec.object = request.incumbent;
    Verdict verdict;
    auto started = StartRunner(*request.runtime, spec, pool, empty, request.limit, verdict);
    if (!started.ok()) {
      if (verdict.status == v1::INFRASTRUCTURE) return started.status();
      result.note = absl::StrCat("the incumbent was not timed: ", verdict.detail);
      return false;
    }
    incumbent = *std::move(started);
    contestants.push_back(incumbent.contestant.get());
  }
  std::unique_ptr<BaselineContestant> baseline;
  if (request.baseline != nullptr) {
    baseline = std::make_unique<BaselineContestant>(*request.baseline, request.limit, request.stop);
    contestants.push_back(baseline.get());
  }
  TimedCalls hooks(pool, request.variants, with_incumbent, random);
  const absl::StatusOr<std::vector<Samples>> samples =
      Measure(policy, contestants, pool.slots(), hooks, request.measure, random, request.stop);
  result.findings = candidate->contestant->findings();
  const bool stopped = request.stop.stop_requested();
  if (!samples.ok() && !stopped) {
    // Without the incumbent's time there is nothing to compare with; the host is to blame, and it is tried again.
    if (with_incumbent && incumbent.contestant->verdict().status == v1::INFRASTRUCTURE) return samples.status();
    const bool incumbent_failed =
        with_incumbent && (hooks.culprit() == TimedCalls::kIncumbent || !incumbent.contestant->verdict().passed());
    if (incumbent_failed) {
      result.note = absl::StrCat("the incumbent was not timed: ", samples.status().message());
      return false;
    }
    if (hooks.culprit() == TimedCalls::kCandidate) {
      result.verdict = hooks.verdict();
    } else if (!candidate->contestant->verdict().passed()) {
      result.verdict = candidate->contestant->verdict();
    } else if (absl::IsFailedPrecondition(samples.status())) {
      result.verdict = {v1::SUSPECT, std::string(samples.status().message()), "no-time"};
    } else {
      return samples.status();
    }
  }
  result.printed = Printed(candidate->process->Quit());
  if (stopped) return absl::CancelledError("stopped while timing");
  if (!result.verdict.passed()) return true;

  v1::CaseTiming& timing = result.timing;
  timing.set_case_id(request.task_case->id());
  const Samples& own = (*samples)[0];
  *timing.mutable_candidate() = TimingOf(policy, own);
  timing.mutable_candidate()->set_batch_us(candidate->contestant->batch_call_us());
  if (with_incumbent) {
    *timing.mutable_incumbent() = TimingOf(policy, (*samples)[1]);
    timing.mutable_incumbent()->set_batch_us(incumbent.contestant->batch_call_us());
    *timing.mutable_against_incumbent() = Compare(policy, own, (*samples)[1]);
  }
  if (baseline != nullptr) {
    const Samples& theirs = samples->back();
    *timing.mutable_baseline() = TimingOf(policy, theirs);
    *timing.mutable_against_baseline() = Compare(policy, own, theirs);
  }
  result.kept = hooks.TakeKept();
  return true;
}

}  // namespace

absl::StatusOr<TimingResult> TimeCase(const TimingRequest& request, absl::BitGenRef random) {
  ASSIGN_OR_RETURN(const int64_t slot_bytes, SlotPool::BytesPerSlot(*request.task_case));
  const int slots = SlotsFor(slot_bytes, request.runtime->timing().pool);
  ASSIGN_OR_RETURN(const PoolShelf::Loan pool, request.shelf->Take(*request.task_case, slots));
  for (int slot = 0; slot < pool->slots(); ++slot) {
    FillSlot(*request.variants[static_cast<size_t>(slot) % request.variants.size()], slot, *pool);
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<EmptyKernel> empty, EmptyKernel::Start(*pool, *request.runtime));
  TimeLimit baseline_limit(request.limit);
  if (request.baseline != nullptr) {
    RETURN_IF_ERROR(request.baseline->OpenBaseline(*pool, baseline_limit, request.stop));
  }
  const absl::Duration bound = HardwareBound(BytesTouched(*request.task_case), request.runtime->cores());
  bool with_incumbent = !request.incumbent.empty();
  TimingResult result;
  // A time below the hardware bound is measured once more before it is called suspicious.
  for (int suspicious = 0; suspicious < 2;) {
    std::string note = std::move(result.note);
    result = TimingResult();
    result.note = std::move(note);
    ASSIGN_OR_RETURN(const bool complete, MeasureOnce(request, with_incumbent, *pool, *empty, random, result));
    if (!complete) {
      with_incumbent = false;
      continue;
    }
    const bool below =
        result.verdict.passed() && result.timing.candidate().mean_us() < absl::ToDoubleMicroseconds(bound);
    if (below) {
      result.verdict = {
          v1::SUSPECT,
          absl::StrFormat("a call takes %.3f us, but reading its inputs and writing its outputs once takes "
                          "this machine at least %.3f us",
                          result.timing.candidate().mean_us(), absl::ToDoubleMicroseconds(bound)),
          "below-hardware-bound"};
    }
    if (result.verdict.status != v1::SUSPECT) break;
    ++suspicious;
  }
  if (request.baseline != nullptr) RETURN_IF_ERROR(request.baseline->CloseBaseline(baseline_limit));
  return result;
}

absl::StatusOr<Verdict> CheckKeptCalls(const v1::TaskCase& task_case, const v1::Tolerance& tolerance,
                                       absl::Span<const KeptCall> kept, Reference& reference, TimeLimit& limit,
                                       std::stop_token stop, v1::CaseReport& report) {
  for (const KeptCall& call : kept) {
    ASSIGN_OR_RETURN(const Expected expected, reference.Expect(task_case, call.inputs, limit, stop));
    for (int i = 0; i < task_case.outputs_size(); ++i) {
      ASSIGN_OR_RETURN(TensorLayout layout, LayoutOf(task_case.outputs(i)));
      const size_t index = static_cast<size_t>(i);
      const OutputVerdict output = CompareOutput(
          {task_case.outputs(i), expected.values.Bytes(i), expected.numbers[index].rms, expected.numbers[index].error},
          {std::move(layout), call.outputs[index], {}}, tolerance);
      if (output.status == v1::PASSED) continue;
      if (!task_case.hidden()) *report.add_mismatches() = output.mismatch;
      Verdict verdict{output.status, "a timed call gave a wrong result, though the kernel passed verification", ""};
      if (!task_case.hidden()) absl::StrAppend(&verdict.detail, ": ", output.detail);
      verdict.rule = "timed-call-differs";
      return verdict;
    }
  }
  return Verdict();
}

}  // namespace kernelsmith::worker
