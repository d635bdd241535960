#include "server/scheduling/scheduler_metrics.h"

#include <algorithm>

namespace kernelsmith::server {

SchedulerMetrics::SchedulerMetrics(common::Metrics& metrics)
    : metrics_(metrics),
      oldest_waiting_(
          metrics.AddGauge("kernelsmith_scheduler_oldest_waiting_seconds", "Age of the work that has waited longest")),
      oldest_running_(metrics.AddGauge("kernelsmith_scheduler_oldest_running_seconds",
                                       "Time since the longest running work was started")),
      running_(metrics.AddGauge("kernelsmith_scheduler_running", "Work that runs on a card")),
      connected_(metrics.AddGauge("kernelsmith_scheduler_cards_connected", "Cards whose worker reports")),
      quarantined_(metrics.AddGauge("kernelsmith_scheduler_cards_quarantined", "Cards in quarantine")),
      dead_letters_kept_(metrics.AddGauge("kernelsmith_scheduler_dead_letters",
                                          "Evaluations given up after too many failures and not taken up again")),
      lease_losses_(metrics.AddCounter("kernelsmith_scheduler_lease_losses_total",
                                       "Leases that ran out or whose worker was restarted")),
      retries_(metrics.AddCounter("kernelsmith_scheduler_retries_total", "Work that was queued again")),
      dead_letters_(
          metrics.AddCounter("kernelsmith_scheduler_dead_letters_total", "Work given up after too many failures")),
      quarantines_(metrics.AddCounter("kernelsmith_scheduler_quarantines_total", "Times a card was taken out")),
      stale_results_(metrics.AddCounter("kernelsmith_scheduler_stale_results_total",
                                        "Results refused because their lease was over")) {}

void SchedulerMetrics::Publish(const WorkBoard& board, int64_t dead_letters_kept, absl::Time now) {
  std::map<std::string, int> depth;  // by team
  for (const auto& team : seen_teams_) depth[team] = 0;
  double oldest_waiting = 0, oldest_running = 0;
  int running = 0;
  for (const auto& [id, work] : board.works()) {
    if (work.state == Work::State::kWaiting && work.joined) {
      ++depth[work.item.team];
      oldest_waiting = std::max(oldest_waiting, absl::ToDoubleSeconds(now - work.queued_at));
    } else if (work.state == Work::State::kLeased && work.run_since <= now) {
      ++running;
      oldest_running = std::max(oldest_running, absl::ToDoubleSeconds(now - work.run_since));
    }
  }
  for (const auto& [team, count] : depth) {
    seen_teams_.insert(team);
    metrics_.AddGauge("kernelsmith_scheduler_queue_depth", "Work that waits for a card", {{"team", team}}).Set(count);
  }
  oldest_waiting_.Set(oldest_waiting);
  oldest_running_.Set(oldest_running);
  running_.Set(running);

  int connected = 0, quarantined = 0;
  for (const auto& [worker_id, card] : board.cards()) {
    if (board.IsConnected(card, now)) ++connected;
    if (card.quarantine.IsOut(now)) ++quarantined;
    double busy = card.busy_seconds;
    for (const auto& [id, work] : board.works()) {
      if (work.state == Work::State::kLeased && work.worker_id == worker_id && work.run_since <= now) {
        busy += absl::ToDoubleSeconds(now - work.run_since);
      }
    }
    double& published = published_busy_[worker_id];
    if (busy <= published) continue;
    metrics_
        .AddCounter("kernelsmith_scheduler_card_busy_seconds_total", "Seconds that work was on the card",
                    {{"worker", worker_id}})
        .Increment(busy - published);
    published = busy;
  }
  connected_.Set(connected);
  quarantined_.Set(quarantined);
  dead_letters_kept_.Set(static_cast<double>(dead_letters_kept));

  const BoardCounters& counters = board.counters();
  const auto publish = [](prometheus::Counter& counter, int64_t value, int64_t& published) {
    counter.Increment(static_cast<double>(value - published));
    published = value;
  };
  publish(lease_losses_, counters.lease_losses, published_.lease_losses);
  publish(retries_, counters.retries, published_.retries);
  publish(dead_letters_, counters.dead_letters, published_.dead_letters);
  publish(quarantines_, counters.quarantines, published_.quarantines);
  publish(stale_results_, counters.stale_results, published_.stale_results);
}

}  // namespace kernelsmith::server
