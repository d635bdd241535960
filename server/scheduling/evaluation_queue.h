// Work for cards: what waits, who has it under which lease, what came back. The round loop submits and waits; the
// gateway hands out and collects. Leases are persisted before hand-out, results before they are acknowledged.
//
//   ASSIGN_OR_RETURN(WorkResult result, queue.Run(item, [](absl::string_view why) { ... }, cancelled));
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "common/metrics.h"
#include "kernelsmith/config/v1/config.pb.h"
#include "kernelsmith/v1/coordinator.pb.h"
#include "kernelsmith/v1/worker.pb.h"

namespace kernelsmith::server {

struct WorkItem {
  std::string assignment_id;  // stable over restarts: job id, kind and round; a new id for every Evaluate call
  std::string team;
  std::string job_id;  // empty for Evaluate and Compare
  int round = 0;
  int priority = 0;
  std::string card_kind;
  v1::Assignment work;  // the oneof is set; id, epoch and action are filled by the queue
};

struct WorkResult {
  v1::AssignmentState state;  // FINISHED with a result
  uint64_t lease_epoch = 0;
  std::string worker_id;
  int failures = 0;                      // infrastructure failures and lost leases on the way
  bool dead_letter = false;              // gave up after too many failures
  std::vector<v1::PhaseInterval> waits;  // kind "wait_card": when it waited for a card to be free
};

// What happens to a piece of work while the caller waits.
struct WorkNotice {
  enum Kind { kWaiting, kLeased, kActivity, kRetried } kind = kWaiting;
  std::string text;  // why it waits, what runs, why it was retried
  std::string worker_id;
  uint64_t lease_epoch = 0;
  int failures = 0;
};

// Thread-safe.
class EvaluationQueue {
 public:
  // `data_dir` holds the leases. Restores those of an earlier run: they keep their workers until the reconnect grace is
  // over.
  static absl::StatusOr<std::unique_ptr<EvaluationQueue>> Open(const std::string& data_dir,
                                                               const config::v1::CoordinatorConfig& config,
                                                               const common::Clock& clock, common::Metrics& metrics);
  virtual ~EvaluationQueue() = default;

  // Queues the item (or joins it, if the assignment id is known from before a restart: a stored result is returned at
  // once) and waits for its result. An infrastructure failure is retried elsewhere with backoff; past the cap the
  // result of the last try is returned (status INFRASTRUCTURE). CANCELLED once `cancelled` returns true (the card is
  // told), UNAVAILABLE at shutdown. `notice` is called from this thread without locks.
  virtual absl::StatusOr<WorkResult> Run(const WorkItem& item, const std::function<void(const WorkNotice&)>& notice,
                                         const std::function<bool()>& cancelled) = 0;

  // The round loop has logged the result: the stored copy may go. Unknown ids are fine.
  virtual absl::Status Forget(const std::string& assignment_id) = 0;

  // The gateway's half. Blocks at most request.max_wait_ms. FAILED_PRECONDITION if another process took over the worker
  // id, INVALID_ARGUMENT for a request without worker id, instance or card kind.
  virtual absl::StatusOr<v1::SynchronizeResponse> Synchronize(const v1::SynchronizeRequest& request) = 0;

  virtual std::vector<v1::Card> Cards() const = 0;
  // NOT_FOUND for a worker that never reported. Drains are kept over restarts.
  virtual absl::StatusOr<v1::Card> Drain(const std::string& worker_id, bool undo) = 0;

  // Work that failed too often for reasons that are not its own, of all teams, newest first. Kept over restarts; a
  // start keeps the newest thousand.
  virtual absl::StatusOr<std::vector<v1::DeadLetter>> DeadLetters() const = 0;
  // The letter was taken up again: it goes, and the result kept with it. Unknown ids are fine.
  virtual absl::Status RemoveDeadLetter(const std::string& assignment_id) = 0;

  // Wakes all waiters (they return UNAVAILABLE) and refuses new work.
  virtual void Stop() = 0;
};

}  // namespace kernelsmith::server
