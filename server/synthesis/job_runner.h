// Runs jobs: a bounded pool of threads, each with one JobDriver. Starts what waits in fair order, resumes what an
// earlier run of the coordinator left, and stops within seconds without losing anything.
//
//   JobRunner runner(context, config, metrics);
//   runner.Start();                 // resumes unfinished jobs
//   runner.Enqueue(job);
//   runner.Stop();
#pragma once

#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "common/metrics.h"
#include "common/mutex.h"
#include "kernelsmith/config/v1/config.pb.h"
#include "server/synthesis/job_driver.h"
#include "server/synthesis/job_schedule.h"

namespace kernelsmith::server {

// Thread-safe.
class JobRunner {
 public:
  // The arguments must outlive the object.
  JobRunner(SynthesisContext& context, const config::v1::CoordinatorConfig& config, common::Metrics& metrics,
            common::BackoffPolicy backoff = {});
  ~JobRunner();

  // Enqueues every job of the store that has not ended.
  void Start();
  // A job that was submitted or extended. One that runs already notices by itself.
  void Enqueue(const v1::Job& job);
  // The job was cancelled in the store: whoever runs it stops.
  void NoticeCancelled(const std::string& job_id);
  // Interrupts all jobs and joins the threads. The queue must have been stopped.
  void Stop();

  int active() const;
  // Seconds that the oldest waiting job has waited since its submission; 0 if none waits.
  double OldestWaitSeconds() const;

 private:
  void RunJobs();
  void RunJob(const WaitingJob& job);
  // Starts a thread if a job could run and no thread is idle.
  void AddThreadIfNeeded() EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::vector<std::pair<std::string, std::string>> Explanations() const EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void AnnounceWaiting();

  SynthesisContext& context_;
  const common::BackoffPolicy backoff_;
  prometheus::Gauge& active_gauge_;
  mutable common::Mutex mutex_;
  common::CondVar changed_;
  ScheduleState state_ GUARDED_BY(mutex_);
  std::set<std::string> active_ GUARDED_BY(mutex_);
  std::set<std::string> again_ GUARDED_BY(mutex_);  // enqueued while active: looked at once more afterwards
  std::vector<std::thread> threads_ GUARDED_BY(mutex_);
  int idle_ GUARDED_BY(mutex_) = 0;
  bool stopping_ GUARDED_BY(mutex_) = false;
};

}  // namespace kernelsmith::server
