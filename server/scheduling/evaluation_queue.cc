// EvaluationQueue: the board's threads and disk. One mutex guards the board and is never held while the disk is busy;
// writes are gathered and synced by one thread at a time.
#include "server/scheduling/evaluation_queue.h"

#include <pthread.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "absl/random/random.h"
#include "absl/strings/str_cat.h"
#include "common/logging.h"
#include "common/mutex.h"
#include "common/status.h"
#include "server/scheduling/lease_store.h"
#include "server/scheduling/scheduler_metrics.h"
#include "server/scheduling/work_board.h"

namespace kernelsmith::server {
namespace {

constexpr absl::Duration kTick = absl::Milliseconds(50);  // of the thread that notices time passing
constexpr absl::Duration kMetricsPeriod = absl::Seconds(1);
constexpr absl::Duration kCancelPoll = absl::Milliseconds(100);  // how often a waiting Run asks whether it is cancelled
constexpr absl::Duration kKeepRecords = absl::Hours(24 * 7);     // of jobs that never came back for them

double OrDefault(double value, double fallback) { return value > 0 ? value : fallback; }

absl::StatusOr<BoardRules> RulesFrom(const config::v1::CoordinatorConfig& config) {
  BoardRules rules;
  rules.heartbeat = absl::Seconds(OrDefault(config.heartbeat_s(), 2));
  rules.lease = absl::Seconds(OrDefault(config.lease_s(), 10));
  rules.reconnect_grace = absl::Seconds(OrDefault(config.reconnect_grace_s(), 10));
  if (rules.lease < 3 * rules.heartbeat) {
    return common::InvalidField(
        "lease_s", absl::StrCat("is ", absl::FormatDuration(rules.lease), ", less than three heartbeats of ",
                                absl::FormatDuration(rules.heartbeat)));
  }
  if (config.max_infrastructure_failures() > 0) rules.max_failures = config.max_infrastructure_failures();
  if (config.quarantine_after() > 0) rules.quarantine.after = config.quarantine_after();
  rules.quarantine.length = absl::Seconds(OrDefault(config.quarantine_s(), 30));
  for (const auto& team : config.teams()) rules.team_weights[team.team()] = OrDefault(team.weight(), 1);
  return rules;
}

class DurableQueue final : public EvaluationQueue {
 public:
  DurableQueue(std::unique_ptr<LeaseStore> store, BoardRules rules, const common::Clock& clock,
               common::Metrics& metrics)
      : store_(std::move(store)),
        clock_(clock),
        heartbeat_(rules.heartbeat),
        metrics_(metrics),
        board_(std::move(rules), static_cast<uint64_t>(absl::GetCurrentTimeNanos() / 1000), random_) {}
  ~DurableQueue() override {
    Stop();
    if (ticker_.joinable()) ticker_.join();
  }

  absl::Status Start();

  absl::StatusOr<WorkResult> Run(const WorkItem& item, const std::function<void(const WorkNotice&)>& notice,
                                 const std::function<bool()>& cancelled) override;
  absl::Status Forget(const std::string& assignment_id) override;
  absl::StatusOr<v1::SynchronizeResponse> Synchronize(const v1::SynchronizeRequest& request) override;
  std::vector<v1::Card> Cards() const override;
  absl::StatusOr<v1::Card> Drain(const std::string& worker_id, bool undo) override;
  absl::StatusOr<std::vector<v1::DeadLetter>> DeadLetters() const override { return store_->DeadLetters(); }
  absl::Status RemoveDeadLetter(const std::string& assignment_id) override;
  void Stop() override;

 private:
  using Wakers = std::map<std::string, std::shared_ptr<common::CondVar>>;

  void Tick();
  // Lets the board move on, wakes whom it concerns, and writes. Returns when nothing is dirty.
  absl::Status Settle() EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void WakeTouched() EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::optional<WorkResult> ResultOf(const std::string& assignment_id) const EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static std::shared_ptr<common::CondVar> WakerOf(Wakers& wakers, const std::string& id);

  const std::unique_ptr<LeaseStore> store_;
  const common::Clock& clock_;
  const absl::Duration heartbeat_;
  absl::BitGen random_;
  SchedulerMetrics metrics_;  // used by the ticker only, under the mutex

  mutable common::Mutex mutex_;
  common::CondVar written_;
  common::CondVar tick_;
  WorkBoard board_ GUARDED_BY(mutex_);
  Wakers card_wakers_ GUARDED_BY(mutex_);
  Wakers work_wakers_ GUARDED_BY(mutex_);
  std::map<std::string, uint64_t> calls_ GUARDED_BY(mutex_);  // of Synchronize, by worker
  bool writing_ GUARDED_BY(mutex_) = false;
  bool stopped_ GUARDED_BY(mutex_) = false;
  std::thread ticker_;
};

absl::Status DurableQueue::Start() {
  ASSIGN_OR_RETURN(const LeaseStore::Content content, store_->Load(clock_.Now() - kKeepRecords));
  {
    common::MutexLock lock(mutex_);
    for (const auto& worker_id : content.drained_workers) board_.RestoreDrain(worker_id);
    for (const auto& record : content.records) board_.Restore(record, clock_.Now());
  }
  ticker_ = std::thread([this] { Tick(); });
  pthread_setname_np(ticker_.native_handle(), "ks-queue-tick");
  return absl::OkStatus();
}

void DurableQueue::Tick() {
  absl::Time published = absl::InfinitePast();
  common::MutexLock lock(mutex_);
  while (!stopped_) {
    const absl::Status settled = Settle();
    if (!settled.ok()) common::LogError("scheduler.write_failed", {{"error", settled.ToString()}});
    if (absl::Now() - published >= kMetricsPeriod) {
      metrics_.Publish(board_, store_->dead_letter_count(), clock_.Now());
      published = absl::Now();
    }
    tick_.WaitFor(mutex_, kTick);
  }
}

std::shared_ptr<common::CondVar> DurableQueue::WakerOf(Wakers& wakers, const std::string& id) {
  auto& waker = wakers[id];
  if (!waker) waker = std::make_shared<common::CondVar>();
  return waker;
}

void DurableQueue::WakeTouched() {
  for (const auto& worker_id : board_.TakeTouchedCards()) {
    const auto found = card_wakers_.find(worker_id);
    if (found != card_wakers_.end()) found->second->NotifyAll();
  }
  for (const auto& id : board_.TakeTouchedWork()) {
    const auto found = work_wakers_.find(id);
    if (found != work_wakers_.end()) found->second->NotifyAll();
  }
}

absl::Status DurableQueue::Settle() {
  board_.Advance(clock_.Now());
  WakeTouched();
  while (writing_ || board_.HasDirty()) {
    if (writing_) {
      written_.Wait(mutex_);
      continue;
    }
    const WorkBoard::DirtyRecords records = board_.TakeDirty();
    writing_ = true;
    mutex_.Unlock();
    const absl::Status status = store_->Write(records);
    mutex_.Lock();
    writing_ = false;
    written_.NotifyAll();
    if (!status.ok()) {
      board_.MarkDirty(records);
      return status;
    }
    board_.MarkDurable(records);
    WakeTouched();
  }
  return absl::OkStatus();
}

std::optional<WorkResult> DurableQueue::ResultOf(const std::string& assignment_id) const {
  const Work* work = board_.Find(assignment_id);
  if (work == nullptr || work->state != Work::State::kFinished) return std::nullopt;
  if (work->durable_settled_epoch < work->epoch) return std::nullopt;  // not on disk yet
  WorkResult result;
  result.state = work->result;
  result.lease_epoch = work->epoch;
  result.worker_id = work->dead_letter ? work->failed_on : work->worker_id;
  result.failures = work->failures;
  result.dead_letter = work->dead_letter;
  result.waits = work->waits;
  return result;
}

absl::StatusOr<WorkResult> DurableQueue::Run(const WorkItem& item, const std::function<void(const WorkNotice&)>& notice,
                                             const std::function<bool()>& cancelled) {
  const std::string& id = item.assignment_id;
  const bool keeps_result = !item.job_id.empty();  // a job comes back for it after a crash; a call does not
  absl::StatusOr<WorkResult> outcome = absl::UnknownError("still running");
  bool done = false;

  mutex_.Lock();
  if (stopped_) {
    mutex_.Unlock();
    return absl::UnavailableError("the coordinator is shutting down");
  }
  if (absl::Status submitted = board_.Submit(item, clock_.Now()); !submitted.ok()) {
    mutex_.Unlock();
    return submitted;
  }
  const auto waker = WakerOf(work_wakers_, id);
  (void)Settle();  // a write that fails is tried again by the ticker, and logged there
  while (!done) {
    const std::vector<WorkNotice> notices = board_.TakeNotices(id);
    std::optional<WorkResult> result = ResultOf(id);
    const bool stopping = stopped_;
    mutex_.Unlock();
    for (const auto& one : notices) notice(one);
    if (result) {
      outcome = *std::move(result);
      done = true;
    } else if (cancelled()) {
      outcome = absl::CancelledError(absl::StrCat("work ", id, " was cancelled"));
      done = true;
    } else if (stopping) {
      outcome = absl::UnavailableError("the coordinator is shutting down");
      done = true;
    }
    mutex_.Lock();
    if (!done && notices.empty() && !stopped_) waker->WaitFor(mutex_, kCancelPoll);
  }
  if (absl::IsCancelled(outcome.status()) || !keeps_result) {
    board_.Cancel(id, clock_.Now());
  } else {
    board_.Leave(id);
  }
  work_wakers_.erase(id);
  if (!stopped_) (void)Settle();
  mutex_.Unlock();
  return outcome;
}

absl::Status DurableQueue::Forget(const std::string& assignment_id) {
  common::MutexLock lock(mutex_);
  board_.Forget(assignment_id);
  return Settle();
}

absl::Status DurableQueue::RemoveDeadLetter(const std::string& assignment_id) {
  RETURN_IF_ERROR(Forget(assignment_id));
  return store_->RemoveDeadLetter(assignment_id);
}

absl::StatusOr<v1::SynchronizeResponse> DurableQueue::Synchronize(const v1::SynchronizeRequest& request) {
  const absl::Duration patience = std::min(absl::Milliseconds(std::max<int64_t>(0, request.max_wait_ms())), heartbeat_);
  const absl::Time deadline = absl::Now() + patience;
  common::MutexLock lock(mutex_);
  RETURN_IF_ERROR(board_.Report(request, clock_.Now()));
  RETURN_IF_ERROR(Settle());
  const auto waker = WakerOf(card_wakers_, request.worker_id());
  // A worker that calls again has given up the call before: that one ends.
  const uint64_t call = ++calls_[request.worker_id()];
  waker->NotifyAll();
  while (true) {
    v1::SynchronizeResponse answer = board_.Desired(request);
    const bool superseded = calls_[request.worker_id()] != call;
    if (stopped_ || superseded || absl::Now() >= deadline || board_.IsNews(request, answer)) return answer;
    waker->WaitUntil(mutex_, deadline);
  }
}

std::vector<v1::Card> DurableQueue::Cards() const {
  common::MutexLock lock(mutex_);
  return board_.Cards(clock_.Now());
}

absl::StatusOr<v1::Card> DurableQueue::Drain(const std::string& worker_id, bool undo) {
  {
    common::MutexLock lock(mutex_);
    const auto& cards = board_.cards();
    const auto found = cards.find(worker_id);
    if (found == cards.end()) {
      return absl::NotFoundError(absl::StrCat("no worker '", worker_id, "'; `kernelsmith cards` lists them"));
    }
  }
  RETURN_IF_ERROR(store_->WriteDrain(worker_id, !undo));
  common::MutexLock lock(mutex_);
  RETURN_IF_ERROR(board_.SetDrain(worker_id, !undo, clock_.Now()));
  RETURN_IF_ERROR(Settle());
  for (auto& card : board_.Cards(clock_.Now())) {
    if (card.worker_id() == worker_id) return card;
  }
  return absl::NotFoundError(absl::StrCat("worker '", worker_id, "' has not reported since the coordinator started"));
}

void DurableQueue::Stop() {
  common::MutexLock lock(mutex_);
  stopped_ = true;
  tick_.NotifyAll();
  for (const auto& [id, waker] : card_wakers_) waker->NotifyAll();
  for (const auto& [id, waker] : work_wakers_) waker->NotifyAll();
}

}  // namespace

absl::StatusOr<std::unique_ptr<EvaluationQueue>> EvaluationQueue::Open(const std::string& data_dir,
                                                                       const config::v1::CoordinatorConfig& config,
                                                                       const common::Clock& clock,
                                                                       common::Metrics& metrics) {
  ASSIGN_OR_RETURN(BoardRules rules, RulesFrom(config));
  ASSIGN_OR_RETURN(auto store, LeaseStore::Open(data_dir + "/leases"));
  auto queue = std::make_unique<DurableQueue>(std::move(store), std::move(rules), clock, metrics);
  RETURN_IF_ERROR(queue->Start());
  return std::unique_ptr<EvaluationQueue>(std::move(queue));
}

}  // namespace kernelsmith::server
