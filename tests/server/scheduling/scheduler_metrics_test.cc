#include "server/scheduling/scheduler_metrics.h"

#include <gtest/gtest.h>

#include "absl/random/random.h"

namespace kernelsmith::server {
namespace {

// Value of a counter or gauge whose labels include all of `labels`; -1 if there is none.
double ValueOf(common::Metrics& metrics, const std::string& name, const std::string& label_value = "") {
  for (const auto& family : metrics.registry().Collect()) {
    if (family.name != name) continue;
    for (const auto& metric : family.metric) {
      const bool matches = label_value.empty() || (!metric.label.empty() && metric.label[0].value == label_value);
      if (matches) return metric.gauge.value + metric.counter.value;
    }
  }
  return -1;
}

WorkItem Item(const std::string& id) {
  const std::string team = "a", job = "job", kind = "cpu";
  WorkItem item;
  item.assignment_id = id;
  item.team = team;
  item.job_id = job;
  item.card_kind = kind;
  item.work.mutable_evaluate();
  return item;
}

TEST(SchedulerMetricsTest, ShowWhatWaitsWhatRunsAndWhatWentWrong) {
  common::Metrics metrics;
  SchedulerMetrics published(metrics);
  absl::BitGen random;
  WorkBoard board(BoardRules(), 1, random);
  absl::Time now = absl::FromUnixSeconds(1000);
  const std::vector<std::string> ids = {"x", "y", "z"};
  for (const auto& id : ids) ASSERT_TRUE(board.Submit(Item(id), now).ok());
  v1::SynchronizeRequest request;
  request.set_worker_id("w1");
  request.set_instance("i1");
  request.mutable_card()->set_kind("cpu");
  ASSERT_TRUE(board.Report(request, now).ok());
  board.Advance(now);

  now += absl::Seconds(4);
  published.Publish(board, 2, now);
  EXPECT_EQ(ValueOf(metrics, "kernelsmith_scheduler_queue_depth", "a"), 1);  // one runs, one is prepared
  EXPECT_EQ(ValueOf(metrics, "kernelsmith_scheduler_oldest_waiting_seconds"), 4);
  EXPECT_EQ(ValueOf(metrics, "kernelsmith_scheduler_oldest_running_seconds"), 4);
  EXPECT_EQ(ValueOf(metrics, "kernelsmith_scheduler_running"), 1);
  EXPECT_EQ(ValueOf(metrics, "kernelsmith_scheduler_dead_letters"), 2);
  EXPECT_EQ(ValueOf(metrics, "kernelsmith_scheduler_cards_connected"), 1);
  EXPECT_EQ(ValueOf(metrics, "kernelsmith_scheduler_card_busy_seconds_total", "w1"), 4);

  now += absl::Seconds(7);
  board.Advance(now);  // both leases ran out
  published.Publish(board, 2, now);
  published.Publish(board, 2, now);  // counters do not count twice
  EXPECT_EQ(ValueOf(metrics, "kernelsmith_scheduler_lease_losses_total"), 2);
  EXPECT_EQ(ValueOf(metrics, "kernelsmith_scheduler_retries_total"), 2);
  EXPECT_EQ(ValueOf(metrics, "kernelsmith_scheduler_queue_depth", "a"), 3);
  EXPECT_EQ(ValueOf(metrics, "kernelsmith_scheduler_cards_connected"), 0);
  EXPECT_EQ(ValueOf(metrics, "kernelsmith_scheduler_card_busy_seconds_total", "w1"), 11);

  for (const auto& id : ids) board.Cancel(id, now);
  published.Publish(board, 2, now);
  EXPECT_EQ(ValueOf(metrics, "kernelsmith_scheduler_queue_depth", "a"), 0);
}

}  // namespace
}  // namespace kernelsmith::server
