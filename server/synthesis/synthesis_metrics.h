// Counters of the round loop: kernelsmith_coordinator_*.
#pragma once

#include <string>

#include "common/metrics.h"
#include "kernelsmith/v1/job.pb.h"

namespace kernelsmith::server {

// Thread-safe.
class SynthesisMetrics {
 public:
  explicit SynthesisMetrics(common::Metrics& metrics);

  void RoundRecorded(v1::EvaluationStatus status, bool has_candidate);
  void GatesPassed(const v1::EvaluationEnded& evaluation);
  void JobEnded(v1::JobState state);
  void MemoryRetried();
  void EvaluationRetried();
  void ModelCallEnded(const v1::ModelCallEnded& call);
  void ModelCallInDoubt();
  void ProposerTook(const std::string& kind, double seconds);

 private:
  common::Metrics& metrics_;
  prometheus::Counter& memory_retries_;  // served from the start, so that alerts see its increase
};

}  // namespace kernelsmith::server
