// kernelsmith_worker_*: what a card does, for Prometheus.
#pragma once

#include "absl/time/time.h"
#include "common/metrics.h"
#include "kernelsmith/v1/worker.pb.h"

namespace kernelsmith::worker {

// Thread-safe.
class WorkerMetrics {
 public:
  explicit WorkerMetrics(common::Metrics& metrics);

  void CountResult(const v1::AssignmentState& result);
  void CountBusy(absl::Duration busy) { busy_.Increment(absl::ToDoubleSeconds(busy)); }
  void SetBusy(bool busy) { busy_now_.Set(busy ? 1 : 0); }
  void CountSynchronizeError() { synchronize_errors_.Increment(); }
  void SetConnected(bool connected) { connected_.Set(connected ? 1 : 0); }
  void DescribeCard(const v1::CardState& card);

 private:
  common::Metrics& metrics_;
  prometheus::Counter& busy_;
  prometheus::Gauge& busy_now_;
  prometheus::Counter& synchronize_errors_;
  prometheus::Gauge& connected_;
  prometheus::Gauge& noise_floor_;
};

}  // namespace kernelsmith::worker
