#include "worker/gateway/executor.h"

namespace kernelsmith::worker {

v1::AssignmentState CancelledResult(const v1::Assignment& assignment) {
  constexpr char kSummary[] = "the evaluation was stopped before it ended";
  v1::AssignmentState result;
  if (assignment.has_inspect()) {
    result.mutable_inspected()->set_status(v1::EVALUATION_CANCELLED);
    result.mutable_inspected()->set_error(kSummary);
  } else {
    result.mutable_report()->set_status(v1::EVALUATION_CANCELLED);
    result.mutable_report()->set_summary(kSummary);
  }
  return result;
}

v1::EvaluationStatus StatusOfResult(const v1::AssignmentState& result) {
  if (result.has_report()) return result.report().status();
  if (!result.has_inspected()) return v1::INFRASTRUCTURE;
  return result.inspected().ok() ? v1::PASSED : result.inspected().status();
}

}  // namespace kernelsmith::worker
