#include "worker/gateway/evaluator_executor.h"

namespace kernelsmith::worker {

void EvaluatorExecutor::Prepare(const v1::Assignment& assignment, const Progress& progress, std::stop_token stop) {
  const EvaluationControl control{.progress = progress, .log = {}, .stop = stop};
  if (assignment.has_evaluate()) {
    evaluator_.Prepare(assignment.evaluate(), control);
  } else if (assignment.has_compare()) {
    evaluator_.Prepare(assignment.compare().a(), control);
  }
}

Execution EvaluatorExecutor::Run(const v1::Assignment& assignment, const Progress& progress, std::stop_token stop) {
  Execution execution;
  EvaluationControl control;
  control.progress = progress;
  control.log = [&execution](absl::string_view name, absl::string_view content) {
    execution.logs.push_back({std::string(name), std::string(content)});
  };
  control.stop = stop;
  switch (assignment.work_case()) {
    case v1::Assignment::kInspect:
      *execution.result.mutable_inspected() = evaluator_.Inspect(assignment.inspect().task(), control);
      execution.logs.clear();  // an inspection has no report that could refer to them
      break;
    case v1::Assignment::kEvaluate:
      *execution.result.mutable_report() = evaluator_.Evaluate(assignment.evaluate(), control);
      break;
    case v1::Assignment::kCompare:
      *execution.result.mutable_report() = evaluator_.Compare(assignment.compare(), control);
      break;
    case v1::Assignment::WORK_NOT_SET:
      execution.result.mutable_report()->set_status(v1::INFRASTRUCTURE);
      execution.result.mutable_report()->set_summary(
          "the assignment holds no work that this worker knows; is the coordinator newer?");
  }
  return execution;
}

}  // namespace kernelsmith::worker
