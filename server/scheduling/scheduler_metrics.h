// kernelsmith_scheduler_*: what the board looks like, for Prometheus.
#pragma once

#include "common/metrics.h"
#include "server/scheduling/work_board.h"

namespace kernelsmith::server {

class SchedulerMetrics {
 public:
  explicit SchedulerMetrics(common::Metrics& metrics);
  // Publishes the board's state; counters move by what changed since the last call.
  void Publish(const WorkBoard& board, int64_t dead_letters_kept, absl::Time now);

 private:
  common::Metrics& metrics_;
  prometheus::Gauge& oldest_waiting_;
  prometheus::Gauge& oldest_running_;
  prometheus::Gauge& running_;
  prometheus::Gauge& connected_;
  prometheus::Gauge& quarantined_;
  prometheus::Gauge& dead_letters_kept_;
  prometheus::Counter& lease_losses_;
  prometheus::Counter& retries_;
  prometheus::Counter& dead_letters_;
  prometheus::Counter& quarantines_;
  prometheus::Counter& stale_results_;
  BoardCounters published_;
  std::map<std::string, double> published_busy_;  // seconds by worker
  std::set<std::string> seen_teams_ = {"local"};
};

}  // namespace kernelsmith::server
