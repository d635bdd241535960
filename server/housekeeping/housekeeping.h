// What the coordinator does on the side: removes old artifacts that nothing refers to, and publishes gauges.
//
//   kernelsmith_coordinator_jobs{state}            jobs by state
//   kernelsmith_coordinator_oldest_wait_seconds    age of the oldest job that waits for a start
//   kernelsmith_coordinator_free_disk_bytes        of the disk with the data
//   kernelsmith_coordinator_intake_paused          1 while the disk watermark keeps new jobs out
//   kernelsmith_coordinator_collected_files_total, ..._bytes_total
#pragma once

#include <string>
#include <thread>

#include "absl/time/time.h"
#include "common/clock.h"
#include "common/metrics.h"
#include "common/mutex.h"
#include "kernelsmith/config/v1/config.pb.h"
#include "server/api/intake.h"
#include "server/jobs/job_store.h"
#include "server/synthesis/job_runner.h"

namespace kernelsmith::server {

// Age from which unreferenced artifacts are removed. A payload is stored before the event that refers to it, so it is
// never less than an hour.
absl::Duration ArtifactAge(const config::v1::CoordinatorConfig& config);

// Thread-safe.
class Housekeeping {
 public:
  // The arguments must outlive the object.
  Housekeeping(JobStore& store, const JobRunner& runner, const Intake& intake,
               const config::v1::CoordinatorConfig& config, const common::Clock& clock, common::Metrics& metrics);
  ~Housekeeping();

  // Starts the thread: gauges every few seconds, collection at the start and every hour.
  void Start();
  void Stop();

  void PublishGauges();
  // Does nothing if the references cannot be read whole.
  common::ContentStore::Collected CollectArtifacts();

 private:
  void Loop();

  JobStore& store_;
  const JobRunner& runner_;
  const Intake& intake_;
  const config::v1::CoordinatorConfig& config_;
  const common::Clock& clock_;
  common::Metrics& metrics_;
  common::Mutex mutex_;
  common::CondVar wake_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace kernelsmith::server
