#include "worker/gateway/worker_metrics.h"

#include "absl/strings/ascii.h"
#include "worker/gateway/executor.h"

namespace kernelsmith::worker {
namespace {

std::string Lower(const std::string& name) { return absl::AsciiStrToLower(name); }

const google::protobuf::RepeatedPtrField<v1::PhaseInterval>& PhasesOf(const v1::AssignmentState& result) {
  return result.has_inspected() ? result.inspected().phases() : result.report().phases();
}

}  // namespace

WorkerMetrics::WorkerMetrics(common::Metrics& metrics)
    : metrics_(metrics),
      busy_(metrics.AddCounter("kernelsmith_worker_card_busy_seconds_total",
                               "Seconds in which work ran on the card; its rate is the busy ratio")),
      busy_now_(metrics.AddGauge("kernelsmith_worker_card_busy", "1 while work runs on the card")),
      synchronize_errors_(
          metrics.AddCounter("kernelsmith_worker_synchronize_errors_total", "Calls to the coordinator that failed")),
      connected_(metrics.AddGauge("kernelsmith_worker_connected", "1 if the last call to the coordinator succeeded")),
      noise_floor_(metrics.AddGauge("kernelsmith_worker_noise_floor_ratio",
                                    "Relative spread of a calibrated call on this card")) {}

void WorkerMetrics::CountResult(const v1::AssignmentState& result) {
  const char* kind = result.has_inspected() ? "inspect" : "evaluate";
  metrics_
      .AddCounter("kernelsmith_worker_evaluations_total", "Finished assignments by status",
                  {{"kind", kind}, {"status", Lower(v1::EvaluationStatus_Name(StatusOfResult(result)))}})
      .Increment();
  for (const auto& gate : result.report().gates()) {
    metrics_
        .AddCounter("kernelsmith_worker_gates_total", "Gates of evaluations by outcome",
                    {{"gate", Lower(v1::Gate_Name(gate.gate()))}, {"outcome", gate.passed() ? "passed" : "failed"}})
        .Increment();
  }
  for (const auto& phase : PhasesOf(result)) {
    metrics_
        .AddHistogram("kernelsmith_worker_phase_seconds", "Seconds an evaluation spent, by phase",
                      {{"phase", phase.kind()}})
        .Observe(static_cast<double>(phase.end_unix_us() - phase.begin_unix_us()) / 1e6);
  }
}

void WorkerMetrics::DescribeCard(const v1::CardState& card) {
  noise_floor_.Set(card.noise_floor());
  metrics_
      .AddGauge("kernelsmith_worker_card_info", "The card, its target and the isolation really obtained",
                {{"card", card.card_id()},
                 {"kind", card.kind()},
                 {"soc", card.target().soc()},
                 {"toolchain", card.target().toolchain()},
                 {"isolation", card.isolation()}})
      .Set(1);
}

}  // namespace kernelsmith::worker
