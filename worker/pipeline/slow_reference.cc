#include "worker/pipeline/slow_reference.h"

#include "absl/strings/str_cat.h"

namespace kernelsmith::worker {
namespace {

constexpr double kBusyShare = 0.9;

}  // namespace

Verdict VerdictOfTimeOut(const ReferenceTimeOut& time_out) {
  const std::string used =
      absl::StrCat(absl::FormatDuration(absl::Trunc(time_out.cpu, absl::Milliseconds(100))), " of processor time");
  if (!time_out.starved && (time_out.alone || time_out.cpu >= kBusyShare * time_out.limit)) {
    return {v1::INVALID_TASK, absl::StrCat("the reference takes longer than ", absl::FormatDuration(time_out.limit),
                                           " to resolve and probe (", used, "); override the constants of the task")};
  }
  return {v1::INFRASTRUCTURE,
          absl::StrCat("the reference did not finish within ", absl::FormatDuration(time_out.limit), " and got ", used,
                       " only; the host is overloaded, or the task waits for something")};
}

}  // namespace kernelsmith::worker
