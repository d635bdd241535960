#include "server/synthesis/synthesis_metrics.h"

#include "absl/strings/ascii.h"

namespace kernelsmith::server {

SynthesisMetrics::SynthesisMetrics(common::Metrics& metrics)
    : metrics_(metrics),
      memory_retries_(metrics.AddCounter("kernelsmith_coordinator_memory_retries_total",
                                         "Calls to memory that will be repeated")) {}

void SynthesisMetrics::RoundRecorded(v1::EvaluationStatus status, bool has_candidate) {
  const std::string outcome =
      has_candidate ? absl::AsciiStrToLower(v1::EvaluationStatus_Name(status)) : std::string("no_candidate");
  metrics_.AddCounter("kernelsmith_coordinator_rounds_total", "Recorded rounds by outcome", {{"outcome", outcome}})
      .Increment();
}

void SynthesisMetrics::GatesPassed(const v1::EvaluationEnded& evaluation) {
  for (const v1::GateOutcome& gate : evaluation.gates()) {
    metrics_
        .AddCounter("kernelsmith_coordinator_gate_outcomes_total", "Gates that evaluations went through, by result",
                    {{"gate", absl::AsciiStrToLower(v1::Gate_Name(gate.gate()))},
                     {"result", gate.passed() ? "passed" : "failed"}})
        .Increment();
  }
}

void SynthesisMetrics::JobEnded(v1::JobState state) {
  metrics_
      .AddCounter("kernelsmith_coordinator_jobs_ended_total", "Jobs that ended, by state",
                  {{"state", absl::AsciiStrToLower(v1::JobState_Name(state))}})
      .Increment();
}

void SynthesisMetrics::MemoryRetried() { memory_retries_.Increment(); }

void SynthesisMetrics::EvaluationRetried() {
  metrics_
      .AddCounter("kernelsmith_coordinator_evaluation_retries_total",
                  "Evaluations given to another worker after an infrastructure failure or a lost lease")
      .Increment();
}

void SynthesisMetrics::ModelCallEnded(const v1::ModelCallEnded& call) {
  metrics_
      .AddCounter("kernelsmith_coordinator_model_calls_total", "Model calls that ended, by result",
                  {{"result", call.error().empty() ? "ok" : "error"}})
      .Increment();
  metrics_.AddCounter("kernelsmith_coordinator_model_seconds_total", "Time spent in model calls")
      .Increment(static_cast<double>(call.end_unix_us() - call.begin_unix_us()) * 1e-6);
  const std::string tokens = "kernelsmith_coordinator_model_tokens_total";
  metrics_.AddCounter(tokens, "Tokens of model calls, by kind", {{"kind", "prompt"}})
      .Increment(static_cast<double>(call.prompt_tokens()));
  metrics_.AddCounter(tokens, "Tokens of model calls, by kind", {{"kind", "completion"}})
      .Increment(static_cast<double>(call.completion_tokens()));
  metrics_
      .AddCounter("kernelsmith_coordinator_model_cost_total", "Money spent on model calls, in the price list's unit")
      .Increment(call.money());
}

void SynthesisMetrics::ModelCallInDoubt() {
  metrics_
      .AddCounter("kernelsmith_coordinator_model_calls_in_doubt_total",
                  "Model calls whose reply was lost with a process, repeated once each")
      .Increment();
}

void SynthesisMetrics::ProposerTook(const std::string& kind, double seconds) {
  metrics_
      .AddHistogram("kernelsmith_coordinator_proposer_seconds", "Time a proposer took for a round",
                    {{"proposer", kind}})
      .Observe(seconds);
}

}  // namespace kernelsmith::server
