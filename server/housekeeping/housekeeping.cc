#include "server/housekeeping/housekeeping.h"

#include <pthread.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/file_io.h"
#include "common/logging.h"

namespace kernelsmith::server {
namespace {

constexpr int kDefaultArtifactDays = 30;
constexpr absl::Duration kGaugePeriod = absl::Seconds(2);
constexpr absl::Duration kCollectPeriod = absl::Hours(1);
constexpr v1::JobState kStates[] = {v1::SUBMITTED, v1::QUEUED, v1::RUNNING_ROUND, v1::SUCCEEDED,
                                    v1::EXHAUSTED, v1::FAILED, v1::CANCELLED};

}  // namespace

absl::Duration ArtifactAge(const config::v1::CoordinatorConfig& config) {
  const int days = config.artifact_days() > 0 ? config.artifact_days() : kDefaultArtifactDays;
  return std::max(absl::Hours(1), absl::Hours(24) * days);
}

Housekeeping::Housekeeping(JobStore& store, const JobRunner& runner, const Intake& intake,
                           const config::v1::CoordinatorConfig& config, const common::Clock& clock,
                           common::Metrics& metrics)
    : store_(store), runner_(runner), intake_(intake), config_(config), clock_(clock), metrics_(metrics) {}

Housekeeping::~Housekeeping() { Stop(); }

void Housekeeping::Start() {
  thread_ = std::thread([this] { Loop(); });
  pthread_setname_np(thread_.native_handle(), "housekeeping");
}

void Housekeeping::Stop() {
  {
    common::MutexLock lock(mutex_);
    stopping_ = true;
    wake_.NotifyAll();
  }
  if (thread_.joinable()) thread_.join();
}

void Housekeeping::Loop() {
  absl::Time collect_at = absl::InfinitePast();
  while (true) {
    PublishGauges();
    if (absl::Now() >= collect_at) {
      CollectArtifacts();
      collect_at = absl::Now() + kCollectPeriod;
    }
    const absl::Time next = absl::Now() + kGaugePeriod;
    common::MutexLock lock(mutex_);
    while (!stopping_ && absl::Now() < next) wake_.WaitUntil(mutex_, next);
    if (stopping_) return;
  }
}

void Housekeeping::PublishGauges() {
  for (const v1::JobState state : kStates) {
    metrics_
        .AddGauge("kernelsmith_coordinator_jobs", "Jobs by state",
                  {{"state", absl::AsciiStrToLower(v1::JobState_Name(state))}})
        .Set(store_.Count("", state));
  }
  metrics_.AddGauge("kernelsmith_coordinator_oldest_wait_seconds", "Age of the oldest job that waits for a start")
      .Set(runner_.OldestWaitSeconds());
  const auto free = common::FreeDiskBytes(config_.data_dir());
  if (free.ok()) {
    metrics_.AddGauge("kernelsmith_coordinator_free_disk_bytes", "Free bytes of the disk with the coordinator's data")
        .Set(static_cast<double>(*free));
  }
  metrics_.AddGauge("kernelsmith_coordinator_intake_paused", "1 while too little disk is free to take new jobs")
      .Set(intake_.CheckDisk().ok() ? 0 : 1);
}

common::ContentStore::Collected Housekeeping::CollectArtifacts() {
  // The time is taken first: what is stored and referred to while the references are read is too young to be removed.
  const absl::Time now = clock_.Now();
  const auto referenced = store_.ReferencedDigests();
  if (!referenced.ok()) {
    common::LogError("artifacts.not_collected", {{"error", referenced.status().ToString()}});
    return {};
  }
  const auto collected = store_.content().Collect(
      now, ArtifactAge(config_), absl::flat_hash_set<std::string>(referenced->begin(), referenced->end()));
  metrics_.AddCounter("kernelsmith_coordinator_collected_files_total", "Unreferenced artifacts that were removed")
      .Increment(static_cast<double>(collected.files));
  metrics_.AddCounter("kernelsmith_coordinator_collected_bytes_total", "Bytes of unreferenced artifacts removed")
      .Increment(static_cast<double>(collected.bytes));
  if (collected.files > 0) {
    common::LogInfo("artifacts.collected",
                    {{"files", absl::StrCat(collected.files)}, {"bytes", absl::StrCat(collected.bytes)}});
  }
  return collected;
}

}  // namespace kernelsmith::server
