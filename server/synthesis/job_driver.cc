#include "server/synthesis/job_driver.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/logging.h"
#include "common/status.h"

namespace kernelsmith::server {
namespace {

// Steps that are not begun once the wall time is over. Recording what was evaluated still is.
bool CostsTime(StepKind kind) {
  return kind == StepKind::kAssembleContext || kind == StepKind::kPropose || kind == StepKind::kQueueEvaluation ||
         kind == StepKind::kEvaluate;
}

absl::string_view WaitedFor(StepKind kind) {
  switch (kind) {
    case StepKind::kPropose:
      return "the proposer";
    case StepKind::kResolveTask:
    case StepKind::kEvaluate:
      return "the queue";
    case StepKind::kStartRound:
    case StepKind::kEndJob:
      return "the job store";
    default:
      return "memory";
  }
}

Ending WallTimeOver(const JobHistory& history) {
  return EndWith(history, absl::StrFormat("the wall time of %g s is used up", history.budget.wall_s()));
}

}  // namespace

absl::StatusOr<JobDriver::Outcome> JobDriver::Run() {
  while (true) {
    if (context_.interrupts.stopping()) return Outcome::kInterrupted;
    RETURN_IF_ERROR(steps_.Refresh());
    if (steps_.history().extensions != ending_extensions_) ending_.reset();
    const absl::Time now = context_.clock.Now();
    const absl::Duration left = WallTimeLeft(steps_.history(), now);
    context_.interrupts.SetDeadline(job_id_, now + left);
    const Step step = Next(now);
    if (step.kind == StepKind::kNothing) return Outcome::kEnded;
    if (left <= absl::ZeroDuration() && CostsTime(step.kind)) {
      EndBecause(WallTimeOver(steps_.history()));
      continue;
    }
    const absl::Status status = steps_.Perform(step, without_memory_);
    if (status.ok()) {
      retries_ = 0;
      if (step.kind == StepKind::kEndJob) ending_.reset();
    } else {
      AfterFailure(step, status);
    }
  }
}

Step JobDriver::Next(absl::Time now) const {
  const JobHistory& history = steps_.history();
  if (history.ended) return {};
  Step step = ending_ ? StepTowards(*ending_, history) : NextStep(history, now);
  if (step.kind == StepKind::kCompleteStage && without_memory_) {
    return {.kind = StepKind::kEndJob, .ending = ending_ ? *ending_ : WallTimeOver(history)};
  }
  return step;
}

void JobDriver::EndBecause(Ending ending) {
  ending_ = std::move(ending);
  ending_extensions_ = steps_.history().extensions;
}

void JobDriver::AfterFailure(const Step& step, const absl::Status& status) {
  const bool wall_over = WallTimeLeft(steps_.history(), context_.clock.Now()) <= absl::ZeroDuration();
  if (context_.interrupts.stopping()) return;     // Run returns
  if (wall_over && CostsTime(step.kind)) return;  // Run ends the job
  if (status.code() == absl::StatusCode::kOutOfRange) {
    return EndBecause(EndWith(steps_.history(), std::string(status.message())));
  }
  if (status.code() == absl::StatusCode::kCancelled || common::IsRetryable(status)) {
    const bool memory = WaitedFor(step.kind) == "memory";
    if (memory) context_.metrics.MemoryRetried();
    if (memory && wall_over) {
      without_memory_ = true;
      return;
    }
    ++retries_;
    steps_.Announce(absl::StrCat("waiting for ", WaitedFor(step.kind), ": ", status.message()));
    common::LogWarning("job.waits", {{"job", job_id_},
                                     {"for", std::string(WaitedFor(step.kind))},
                                     {"retry", absl::StrCat(retries_)},
                                     {"error", std::string(status.message())}});
    context_.interrupts.Pause(job_id_, common::BackoffDelay(backoff_, retries_, random_));
    return;
  }
  common::LogError("job.fails", {{"job", job_id_}, {"error", status.ToString()}});
  // An end that cannot be logged is tried again like any other step.
  if (step.kind == StepKind::kEndJob) {
    ++retries_;
    context_.interrupts.Pause(job_id_, common::BackoffDelay(backoff_, retries_, random_));
    return;
  }
  EndBecause({v1::FAILED, std::string(status.message())});
}

}  // namespace kernelsmith::server
