// Carries out assignments with the evaluation pipeline.
#pragma once

#include "worker/gateway/executor.h"
#include "worker/pipeline/evaluate.h"

namespace kernelsmith::worker {

// `evaluator` must outlive it.
class EvaluatorExecutor final : public Executor {
 public:
  explicit EvaluatorExecutor(Evaluator& evaluator) : evaluator_(evaluator) {}

  void Prepare(const v1::Assignment& assignment, const Progress& progress, std::stop_token stop) override;
  Execution Run(const v1::Assignment& assignment, const Progress& progress, std::stop_token stop) override;

 private:
  Evaluator& evaluator_;
};

}  // namespace kernelsmith::worker
