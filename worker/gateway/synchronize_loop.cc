#include "worker/gateway/synchronize_loop.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ids.h"
#include "common/logging.h"
#include "common/status.h"

namespace kernelsmith::worker {
namespace {

constexpr absl::Duration kMaxWait = absl::Seconds(2);  // asked of the coordinator, which may answer earlier
constexpr absl::Duration kIdleWait =
    absl::Seconds(1);  // of the executing threads, so that a noisy card is looked at again

// The coordinator will never accept this worker as it is.
bool IsFinal(const absl::Status& status) {
  return absl::IsFailedPrecondition(status) || absl::IsInvalidArgument(status);
}

}  // namespace

SynchronizeLoop::SynchronizeLoop(LoopOptions options, Executor& executor, std::unique_ptr<CoordinatorLink> link,
                                 WorkerMetrics& metrics)
    : options_(std::move(options)),
      instance_(common::RandomId()),
      executor_(executor),
      link_(std::move(link)),
      metrics_(metrics),
      card_(options_.card) {
  metrics_.DescribeCard(options_.card);
}

SynchronizeLoop::~SynchronizeLoop() {
  {
    common::MutexLock lock(mutex_);
    stopping_ = true;
    table_.HandBackAll();
    news_.NotifyAll();
    work_.NotifyAll();
  }
  for (std::thread* thread : {&talker_, &runner_, &preparer_}) {
    if (thread->joinable()) thread->join();
  }
}

void SynchronizeLoop::Start() {
  talker_ = std::thread([this] { Talk(); });
  runner_ = std::thread([this] { RunWork(); });
  preparer_ = std::thread([this] { PrepareWork(); });
  pthread_setname_np(talker_.native_handle(), "ks-synchronize");
  pthread_setname_np(runner_.native_handle(), "ks-run");
  pthread_setname_np(preparer_.native_handle(), "ks-prepare");
}

void SynchronizeLoop::Drain() {
  common::MutexLock lock(mutex_);
  if (drain_since_) return;
  drain_since_ = absl::Now();
  urgent_ = true;
  news_.NotifyAll();
}

absl::Status SynchronizeLoop::Wait() {
  if (talker_.joinable()) talker_.join();
  common::MutexLock lock(mutex_);
  return ended_;
}

v1::SynchronizeRequest SynchronizeLoop::BuildRequest(absl::Duration max_wait) {
  v1::SynchronizeRequest request;
  request.set_worker_id(options_.worker_id);
  request.set_instance(instance_);
  request.set_version(options_.version);
  *request.mutable_card() = card_;
  for (auto& state : table_.States()) *request.add_assignments() = std::move(state);
  request.set_draining(drain_since_.has_value());
  request.set_max_wait_ms(absl::ToInt64Milliseconds(max_wait));
  request.set_seen_revision(seen_revision_);
  urgent_ = progress_ = false;
  return request;
}

bool SynchronizeLoop::IsOver(absl::Time now) {
  if (stopping_) return true;
  if (!drain_since_) return false;
  return (table_.IsIdle() && drain_told_) || now >= *drain_since_ + options_.drain_grace + options_.goodbye_limit;
}

void SynchronizeLoop::HandBackAfterGrace(absl::Time now) {
  if (!drain_since_ || handed_back_ || now < *drain_since_ + options_.drain_grace) return;
  handed_back_ = true;
  table_.HandBackAll();
}

// Sends the request; gives it up when there is something newer to tell.
absl::StatusOr<v1::SynchronizeResponse> SynchronizeLoop::Exchange(v1::SynchronizeRequest request) {
  struct Reply {
    common::Mutex mutex;
    std::optional<absl::StatusOr<v1::SynchronizeResponse>> answer GUARDED_BY(mutex);
  };
  const auto reply = std::make_shared<Reply>();
  const absl::Time sent = absl::Now();
  const auto call =
      link_->Synchronize(std::move(request), [this, reply](absl::StatusOr<v1::SynchronizeResponse> answer) {
        common::MutexLock lock(mutex_);  // the waiter below cannot miss the notification
        {
          common::MutexLock reply_lock(reply->mutex);
          reply->answer = std::move(answer);
        }
        news_.NotifyAll();
      });
  bool given_up = false;
  common::MutexLock lock(mutex_);
  while (true) {
    {
      common::MutexLock reply_lock(reply->mutex);
      if (reply->answer) return *std::move(reply->answer);
    }
    const absl::Time now = absl::Now();
    HandBackAfterGrace(now);
    absl::Time wake = absl::InfiniteFuture();
    if (progress_) wake = sent + options_.progress_interval;
    if (drain_since_ && !handed_back_) wake = std::min(wake, *drain_since_ + options_.drain_grace);
    const bool newer = urgent_ || stopping_ || (progress_ && now >= sent + options_.progress_interval) ||
                       (drain_since_ && IsOver(now));
    if (newer && !given_up) {
      given_up = true;
      mutex_.Unlock();
      call->Cancel();
      mutex_.Lock();
      continue;
    }
    if (given_up || wake == absl::InfiniteFuture()) {
      news_.Wait(mutex_);
    } else {
      news_.WaitUntil(mutex_, wake);
    }
  }
}

// Logs go first, because a report that refers to them must find them there.
void SynchronizeLoop::UploadLogs() {
  std::vector<HeldPtr> finished;
  {
    common::MutexLock lock(mutex_);
    finished = table_.WithLogs();
  }
  for (const auto& held : finished) {
    while (true) {
      Execution::Log log;
      {
        common::MutexLock lock(mutex_);
        if (held->logs_uploaded >= held->execution.logs.size()) break;
        log = held->execution.logs[held->logs_uploaded];
      }
      const auto stored = link_->Upload(log.name, "text/plain", log.content);
      if (!stored.ok() && common::IsRetryable(stored.status())) return;  // with the next exchange
      if (!stored.ok())
        common::LogWarning("worker.log_lost", {{"log", log.name}, {"error", stored.status().ToString()}});
      common::MutexLock lock(mutex_);
      if (stored.ok() && held->execution.result.has_report()) {
        *held->execution.result.mutable_report()->add_logs() = *stored;
      }
      ++held->logs_uploaded;
    }
  }
}

void SynchronizeLoop::Talk() {
  int failures = 0;
  absl::Status final_status;
  while (true) {
    UploadLogs();
    v1::SynchronizeRequest request;
    {
      common::MutexLock lock(mutex_);
      const absl::Time now = absl::Now();
      HandBackAfterGrace(now);
      if (IsOver(now)) break;
      request = BuildRequest(drain_since_ && !drain_told_ ? absl::ZeroDuration() : kMaxWait);
    }
    const bool told_drain = request.draining();
    const auto answer = Exchange(std::move(request));
    common::MutexLock lock(mutex_);
    if (drain_since_ && told_drain && !absl::IsCancelled(answer.status())) drain_told_ = true;  // or nobody listens
    if (answer.ok()) {
      failures = 0;
      metrics_.SetConnected(true);
      seen_revision_ = answer->revision();
      if (table_.Apply(*answer)) {
        progress_ = true;  // what was accepted is told with the next call
        work_.NotifyAll();
      }
      continue;
    }
    if (absl::IsCancelled(answer.status())) continue;  // given up for a newer one
    if (IsFinal(answer.status())) {
      final_status = common::Annotate(answer.status(), "the coordinator refuses this worker");
      break;
    }
    ++failures;
    metrics_.SetConnected(false);
    metrics_.CountSynchronizeError();
    if (failures == 1 || failures % 20 == 0) {
      common::LogWarning("worker.coordinator_away",
                         {{"failures", absl::StrCat(failures)}, {"error", answer.status().ToString()}});
    }
    seen_revision_ = 0;  // it may be another process that answers next
    const absl::Time wake = absl::Now() + common::BackoffDelay(options_.retry, failures, random_);
    while (!stopping_ && !urgent_ && absl::Now() < wake) news_.WaitUntil(mutex_, wake);
  }
  common::MutexLock lock(mutex_);
  ended_ = final_status;
  stopping_ = true;
  table_.HandBackAll();
  work_.NotifyAll();
  if (options_.on_end) options_.on_end();
}

Executor::Progress SynchronizeLoop::ProgressOf(const HeldPtr& held) {
  return [this, held](absl::string_view activity) {
    common::MutexLock lock(mutex_);
    if (held->activity == activity) return;
    held->activity = std::string(activity);
    progress_ = true;
    news_.NotifyAll();
  };
}

void SynchronizeLoop::RunWork() {
  absl::Time checked = absl::Now();
  mutex_.Lock();
  while (!stopping_) {
    const HeldPtr held = table_.TakeToRun();
    if (!held) {
      const bool check =
          options_.check_card && card_.health() != v1::HEALTHY && absl::Now() - checked >= options_.card_check_interval;
      if (!check) {
        work_.WaitFor(mutex_, kIdleWait);
        continue;
      }
      mutex_.Unlock();
      CheckCard();
      checked = absl::Now();
      mutex_.Lock();
      continue;
    }
    progress_ = true;
    news_.NotifyAll();
    const v1::Assignment assignment = held->assignment;
    mutex_.Unlock();
    metrics_.SetBusy(true);
    const absl::Time begin = absl::Now();
    Execution execution = executor_.Run(assignment, ProgressOf(held), held->stop.get_token());
    metrics_.CountBusy(absl::Now() - begin);
    metrics_.SetBusy(false);
    metrics_.CountResult(execution.result);
    if (options_.card_is_suspect && options_.card_is_suspect()) {
      CheckCard();
      checked = absl::Now();
    }
    mutex_.Lock();
    table_.Finished(held, std::move(execution));
    urgent_ = true;
    news_.NotifyAll();
  }
  mutex_.Unlock();
}

void SynchronizeLoop::PrepareWork() {
  mutex_.Lock();
  while (!stopping_) {
    const HeldPtr held = table_.TakeToPrepare();
    if (!held) {
      work_.Wait(mutex_);
      continue;
    }
    const v1::Assignment assignment = held->assignment;
    mutex_.Unlock();
    executor_.Prepare(assignment, ProgressOf(held), held->stop.get_token());
    mutex_.Lock();
    table_.Prepared(held);
    work_.NotifyAll();  // it may be wanted by the running thread by now
    progress_ = true;
    news_.NotifyAll();
  }
  mutex_.Unlock();
}

void SynchronizeLoop::CheckCard() {
  v1::CardState card;
  {
    common::MutexLock lock(mutex_);
    card = card_;
  }
  card = options_.check_card(std::move(card));
  metrics_.DescribeCard(card);
  common::MutexLock lock(mutex_);
  if (card.health() != card_.health()) urgent_ = true;
  card_ = std::move(card);
  news_.NotifyAll();
}

}  // namespace kernelsmith::worker
