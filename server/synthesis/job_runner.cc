#include "server/synthesis/job_runner.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "common/logging.h"

namespace kernelsmith::server {
namespace {

constexpr int kDefaultMaxActive = 64;

WaitingJob WaitingOf(const v1::Job& job) {
  return {job.id(), job.team(), job.spec().priority(), job.submitted_unix_us()};
}

bool Contains(const std::vector<WaitingJob>& waiting, const std::string& job_id) {
  return std::any_of(waiting.begin(), waiting.end(), [&](const WaitingJob& job) { return job.job_id == job_id; });
}

}  // namespace

JobRunner::JobRunner(SynthesisContext& context, const config::v1::CoordinatorConfig& config, common::Metrics& metrics,
                     common::BackoffPolicy backoff)
    : context_(context),
      backoff_(backoff),
      active_gauge_(metrics.AddGauge("kernelsmith_coordinator_active_jobs", "Jobs that run now")) {
  common::MutexLock lock(mutex_);
  state_.max_active = config.max_active_jobs() > 0 ? config.max_active_jobs() : kDefaultMaxActive;
  for (const config::v1::TeamQuota& team : config.teams()) {
    TeamShare& share = state_.shares[team.team()];
    if (team.weight() > 0) share.weight = team.weight();
    if (team.max_running_jobs() > 0) share.max_running = team.max_running_jobs();
  }
}

JobRunner::~JobRunner() { Stop(); }

void JobRunner::Start() {
  for (const v1::Job& job : context_.store.Unfinished()) {
    common::LogInfo("job.resumes", {{"job", job.id()}, {"team", job.team()}});
    Enqueue(job);
  }
}

void JobRunner::Enqueue(const v1::Job& job) {
  {
    common::MutexLock lock(mutex_);
    if (stopping_ || Contains(state_.waiting, job.id())) return;
    if (active_.contains(job.id())) {
      again_.insert(job.id());
      return;
    }
    state_.waiting.push_back(WaitingOf(job));
    AddThreadIfNeeded();
    changed_.NotifyOne();
  }
  AnnounceWaiting();
}

void JobRunner::AddThreadIfNeeded() {
  if (idle_ > 0 || static_cast<int>(threads_.size()) >= state_.max_active || PickNextJob(state_) < 0) return;
  threads_.emplace_back([this] {
    pthread_setname_np(pthread_self(), "job-driver");
    RunJobs();
  });
}

void JobRunner::NoticeCancelled(const std::string& job_id) {
  common::MutexLock lock(mutex_);
  std::erase_if(state_.waiting, [&](const WaitingJob& job) { return job.job_id == job_id; });
  if (active_.contains(job_id)) context_.interrupts.Cancel(job_id);
}

void JobRunner::Stop() {
  context_.interrupts.StopAll();
  std::vector<std::thread> threads;
  {
    common::MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
    threads.swap(threads_);
  }
  for (std::thread& thread : threads) thread.join();
}

int JobRunner::active() const {
  common::MutexLock lock(mutex_);
  return static_cast<int>(active_.size());
}

double JobRunner::OldestWaitSeconds() const {
  common::MutexLock lock(mutex_);
  int64_t oldest = context_.clock.UnixMicros();
  for (const WaitingJob& job : state_.waiting) oldest = std::min(oldest, job.submitted_unix_us);
  return static_cast<double>(context_.clock.UnixMicros() - oldest) * 1e-6;
}

void JobRunner::RunJobs() {
  while (true) {
    WaitingJob job;
    {
      common::MutexLock lock(mutex_);
      ++idle_;
      int picked = -1;
      while (!stopping_ && (picked = PickNextJob(state_)) < 0) changed_.Wait(mutex_);
      --idle_;
      if (stopping_) return;
      job = state_.waiting[picked];
      state_.waiting.erase(state_.waiting.begin() + picked);
      active_.insert(job.job_id);
      ++state_.running[job.team];
      active_gauge_.Set(static_cast<double>(active_.size()));
      AddThreadIfNeeded();
    }
    RunJob(job);
    {
      common::MutexLock lock(mutex_);
      active_.erase(job.job_id);
      --state_.running[job.team];
      active_gauge_.Set(static_cast<double>(active_.size()));
      context_.interrupts.Clear(job.job_id);
      if (again_.erase(job.job_id) > 0 && !stopping_) state_.waiting.push_back(job);
      changed_.NotifyAll();
    }
    AnnounceWaiting();
  }
}

void JobRunner::RunJob(const WaitingJob& job) {
  const auto outcome = JobDriver(context_, job.job_id, backoff_).Run();
  if (!outcome.ok()) {
    common::LogError("job.unreadable", {{"job", job.job_id}, {"error", outcome.status().ToString()}});
    return;
  }
  const auto state = context_.store.Get("", job.job_id);
  common::LogInfo(*outcome == JobDriver::Outcome::kEnded ? "job.ended" : "job.interrupted",
                  {{"job", job.job_id},
                   {"team", job.team},
                   {"state", state.ok() ? v1::JobState_Name(state->state()) : "unknown"},
                   {"reason", state.ok() ? state->reason() : ""}});
}

std::vector<std::pair<std::string, std::string>> JobRunner::Explanations() const {
  std::vector<std::pair<std::string, std::string>> explanations;
  for (size_t i = 0; i < state_.waiting.size(); ++i) {
    explanations.emplace_back(state_.waiting[i].job_id, ExplainWaiting(state_, i));
  }
  return explanations;
}

void JobRunner::AnnounceWaiting() {
  std::vector<std::pair<std::string, std::string>> explanations;
  {
    common::MutexLock lock(mutex_);
    explanations = Explanations();
  }
  for (const auto& [job_id, why] : explanations) {
    v1::JobEvent event;
    event.mutable_progress()->set_activity(why);
    context_.store.Announce(job_id, event);
  }
}

}  // namespace kernelsmith::server
