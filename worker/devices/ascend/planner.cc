#include "worker/devices/ascend/planner.h"

#include <string.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/status.h"
#include "worker/devices/ascend/plan_protocol.h"
#include "worker/diagnostics/printable.h"
#include "worker/jail/jail.h"
#include "worker/runner/programs.h"
#include "worker/runner/runner_connection.h"
#include "worker/runner/shared_memory.h"

namespace kernelsmith::worker {
namespace {

constexpr const char* kProgramInside = "/candidate/kernelsmith-plan";
constexpr const char* kObjectInside = "/candidate/plan.so";
constexpr int64_t kMemoryBytes = int64_t{2} << 30;
constexpr size_t kTextBytes = 300;

std::string Quoted(absl::string_view text) {
  return text.empty() ? std::string() : absl::StrCat(": ", Printable(text, kTextBytes));
}

absl::Status StatusOfEnd(const ExitReport& exit, const TimeLimit& limit) {
  switch (exit.kind) {
    case ExitKind::kExited:
      if (exit.code == 0) return absl::OkStatus();
      return absl::FailedPreconditionError(
          absl::StrCat("ks_plan ended its process with exit code ", exit.code, Quoted(exit.errors)));
    case ExitKind::kSignalled:
      return absl::FailedPreconditionError(absl::StrCat("ks_plan died of SIG", sigabbrev_np(exit.signal), " (",
                                                        sigdescr_np(exit.signal), ")", Quoted(exit.errors)));
    case ExitKind::kDeadline:
      return absl::DeadlineExceededError(absl::StrCat(
          "ks_plan did not return within ", absl::FormatDuration(limit.limit()), "; a plan computes a few numbers"));
    case ExitKind::kStarved:
      return absl::UnavailableError(absl::StrCat("ks_plan ", StarvedText(limit)));
    case ExitKind::kOutputLimit:
      return absl::FailedPreconditionError("ks_plan printed more than allowed and was killed");
    case ExitKind::kMemoryLimit:
      return absl::ResourceExhaustedError("ks_plan ran out of memory");
    case ExitKind::kKilled:
      break;
  }
  return absl::UnavailableError("the plan's process was killed");
}

absl::StatusOr<std::unique_ptr<JailedProcess>> Start(const PlanQuestion& question, const SharedMemory& request,
                                                     const SharedMemory& answer) {
  ASSIGN_OR_RETURN(const std::string program, FindProgram("kernelsmith-plan", question.program));
  RETURN_IF_ERROR(CheckReadableByAll(program, S_IROTH | S_IXOTH));
  RETURN_IF_ERROR(CheckReadableByAll(question.object.plan_path, S_IROTH));
  JailSpec jail;
  jail.argv = {kProgramInside, kObjectInside, absl::StrCat(question.cores)};
  jail.read_only = {{program, kProgramInside}, {question.object.plan_path, kObjectInside}};
  jail.fds = {{request.fd(), plan::kRequest}, {answer.fd(), plan::kAnswer}};
  jail.limits.memory_bytes = kMemoryBytes;
  jail.limits.processes = 16;
  return JailedProcess::Start(jail);
}

}  // namespace

absl::StatusOr<CheckedPlan> AskPlan(const PlanQuestion& question, const SlotPool& pool) {
  ASSIGN_OR_RETURN(const std::string packet, EncodeMap(pool));
  ASSIGN_OR_RETURN(const SharedMemory request,
                   SharedMemory::Create("ks-plan-request", static_cast<int64_t>(packet.size()),
                                        SharedMemory::Access::kParentWrites));
  ASSIGN_OR_RETURN(const SharedMemory block,
                   SharedMemory::Create("ks-plan-answer", sizeof(plan::Answer), SharedMemory::Access::kChildWrites));
  std::memcpy(request.data(), packet.data(), packet.size());
  ASSIGN_OR_RETURN(const std::unique_ptr<JailedProcess> process, Start(question, request, block));
  TimeLimit limit(question.limit);
  const ExitReport end = process->Wait(limit);
  RETURN_IF_ERROR(StatusOfEnd(end, limit));
  // Nobody writes any more. The block is large, and its bytes are the candidate's.
  auto answer = std::make_unique<plan::Answer>();
  std::memcpy(static_cast<void*>(answer.get()), block.data(), sizeof *answer);
  const std::string text(answer->text, ::strnlen(answer->text, sizeof answer->text));
  switch (answer->state) {
    case plan::State::kReturned:
      break;
    case plan::State::kRefused:
      return absl::FailedPreconditionError(absl::StrCat("the plan cannot be loaded", Quoted(text)));
    case plan::State::kException:
      return absl::FailedPreconditionError(absl::StrCat("ks_plan threw an exception", Quoted(text)));
    default:
      return absl::FailedPreconditionError("ks_plan ended its process without an answer");
  }
  if (answer->code != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("ks_plan returned ", answer->code, " for case ", pool.task_case().id(), "; 0 is success"));
  }
  const size_t tiling_bytes = std::min<size_t>(answer->tiling_copied, sizeof answer->tiling);
  return CheckPlan(answer->plan, {reinterpret_cast<const char*>(answer->tiling), tiling_bytes}, question.object.kernels,
                   pool.inputs(), pool.outputs());
}

}  // namespace kernelsmith::worker
