#include <gtest/gtest.h>

#include "worker/gateway/worker_metrics.h"

namespace kernelsmith::worker {
namespace {

// The metric with this label value among its labels, or null.
std::optional<prometheus::ClientMetric> Find(common::Metrics& metrics, const std::string& name,
                                             const std::string& label_value = "") {
  for (const auto& family : metrics.registry().Collect()) {
    if (family.name != name) continue;
    for (const auto& metric : family.metric) {
      if (label_value.empty()) return metric;
      for (const auto& label : metric.label) {
        if (label.value == label_value) return metric;
      }
    }
  }
  return std::nullopt;
}

TEST(WorkerMetricsTest, AResultCountsItsStatusGatesAndPhases) {
  common::Metrics metrics;
  WorkerMetrics worker(metrics);
  v1::AssignmentState result;
  auto& report = *result.mutable_report();
  report.set_status(v1::INCORRECT_NUMERICAL);
  report.add_gates()->set_gate(v1::COMPILE);
  report.mutable_gates(0)->set_passed(true);
  report.add_gates()->set_gate(v1::VERIFY);
  auto& phase = *report.add_phases();
  phase.set_kind("compile");
  phase.set_begin_unix_us(1'000'000);
  phase.set_end_unix_us(3'500'000);
  worker.CountResult(result);
  EXPECT_EQ(Find(metrics, "kernelsmith_worker_evaluations_total", "incorrect_numerical")->counter.value, 1);
  EXPECT_EQ(Find(metrics, "kernelsmith_worker_gates_total", "verify")->counter.value, 1);
  EXPECT_EQ(Find(metrics, "kernelsmith_worker_gates_total", "failed")->counter.value, 1);
  EXPECT_DOUBLE_EQ(Find(metrics, "kernelsmith_worker_phase_seconds", "compile")->histogram.sample_sum, 2.5);
}

TEST(WorkerMetricsTest, TheCardIsDescribedWithItsIsolation) {
  common::Metrics metrics;
  WorkerMetrics worker(metrics);
  v1::CardState card;
  card.set_card_id("cpu0");
  card.set_isolation("bwrap(pid,net)+rlimits");
  card.set_noise_floor(0.04);
  worker.DescribeCard(card);
  EXPECT_EQ(Find(metrics, "kernelsmith_worker_card_info", "bwrap(pid,net)+rlimits")->gauge.value, 1);
  EXPECT_DOUBLE_EQ(Find(metrics, "kernelsmith_worker_noise_floor_ratio")->gauge.value, 0.04);
}

}  // namespace
}  // namespace kernelsmith::worker
