// The daemon's life: report what is, hear what should be, do it. One thread talks to the coordinator, one runs, one
// prepares.
//
//   SynchronizeLoop loop(options, executor, std::move(link), metrics);
//   loop.Start();
//   WaitForShutdownSignal();
//   loop.Drain();               // finishes or hands back what runs
//   absl::Status ended = loop.Wait();
//
// While the coordinator is away, work goes on; its result is repeated until it is acknowledged. A finished result and a
// drain are told at once, progress at most every `progress_interval`: a call that waits is given up for a newer one.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "absl/random/random.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/backoff.h"
#include "common/mutex.h"
#include "worker/gateway/assignment_table.h"
#include "worker/gateway/coordinator_link.h"
#include "worker/gateway/worker_metrics.h"

namespace kernelsmith::worker {

struct LoopOptions {
  std::string worker_id;
  std::string version;
  v1::CardState card;
  // Looks at the card again. Called while nothing runs and the card is not healthy, at most every
  // `card_check_interval`. May be empty.
  std::function<v1::CardState(v1::CardState)> check_card;
  // Whether something happened to a healthy card that makes a look necessary. Asked while nothing runs. May be empty.
  std::function<bool()> card_is_suspect;
  absl::Duration card_check_interval = absl::Seconds(15);
  absl::Duration progress_interval = absl::Milliseconds(200);
  absl::Duration drain_grace = absl::Seconds(10);   // what runs may finish
  absl::Duration goodbye_limit = absl::Seconds(5);  // then it is stopped, and the coordinator told
  common::BackoffPolicy retry{.initial = absl::Milliseconds(200), .cap = absl::Seconds(2), .factor = 2.0};
  std::function<void()> on_end;  // called once when the loop ends by itself. May be empty
};

// Thread-safe.
class SynchronizeLoop {
 public:
  // `executor` and `metrics` must outlive it.
  SynchronizeLoop(LoopOptions options, Executor& executor, std::unique_ptr<CoordinatorLink> link,
                  WorkerMetrics& metrics);
  // Stops what runs without telling anybody.
  ~SynchronizeLoop();

  void Start();
  // Takes no more work; ends when nothing is held any more, or when the time for that is over.
  void Drain();
  // Waits for the end. OK after a drain; FAILED_PRECONDITION or INVALID_ARGUMENT if the coordinator refuses this
  // worker.
  absl::Status Wait();

 private:
  void Talk();
  void RunWork();
  void PrepareWork();

  // Of the talking thread.
  v1::SynchronizeRequest BuildRequest(absl::Duration max_wait) EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<v1::SynchronizeResponse> Exchange(v1::SynchronizeRequest request);
  void UploadLogs();
  bool IsOver(absl::Time now) EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void HandBackAfterGrace(absl::Time now) EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CheckCard();
  Executor::Progress ProgressOf(const HeldPtr& held);

  const LoopOptions options_;
  const std::string instance_;
  Executor& executor_;
  const std::unique_ptr<CoordinatorLink> link_;
  WorkerMetrics& metrics_;
  absl::BitGen random_;  // of the talking thread

  common::Mutex mutex_;
  common::CondVar news_;  // wakes the talking thread
  common::CondVar work_;  // wakes the executing threads
  AssignmentTable table_ GUARDED_BY(mutex_);
  v1::CardState card_ GUARDED_BY(mutex_);
  uint64_t seen_revision_ GUARDED_BY(mutex_) = 0;
  bool urgent_ GUARDED_BY(mutex_) = false;    // something to tell at once
  bool progress_ GUARDED_BY(mutex_) = false;  // something to tell soon
  bool stopping_ GUARDED_BY(mutex_) = false;
  bool drain_told_ GUARDED_BY(mutex_) = false;  // the coordinator knows, or is away
  bool handed_back_ GUARDED_BY(mutex_) = false;
  std::optional<absl::Time> drain_since_ GUARDED_BY(mutex_);
  absl::Status ended_ GUARDED_BY(mutex_);
  std::thread talker_;
  std::thread runner_;
  std::thread preparer_;
};

}  // namespace kernelsmith::worker
