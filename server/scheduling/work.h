// One piece of work and one card, as the board holds them.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "kernelsmith/storage/v1/coordinator_store.pb.h"
#include "server/scheduling/card_quarantine.h"
#include "server/scheduling/evaluation_queue.h"

namespace kernelsmith::server {

// Life of a piece of work:
//
//   kWaiting --grant (epoch + 1, persisted before hand-out)--> kLeased --result--> kFinished
//      ^                                                          |
//      +---- lease lost, infrastructure failure, handed back -----+   at most `max_failures`, then kFinished as dead
//      letter
//
// A lease begins as PREPARE (another piece runs on the card) or RUN, and goes from PREPARE to RUN without a new epoch.
struct Work {
  enum class State { kWaiting, kLeased, kFinished };

  WorkItem item;
  State state = State::kWaiting;
  uint64_t order = 0;  // of arrival
  absl::Time queued_at;
  bool joined = false;     // a caller waits for it; without one it is not handed out
  bool cancelled = false;  // the card is told; nobody wants the result

  uint64_t epoch = 0;                  // of the last lease; 0 before the first
  uint64_t durable_epoch = 0;          // last lease that is on disk
  uint64_t durable_settled_epoch = 0;  // last lease whose end is on disk
  std::string worker_id;               // with kLeased
  std::string instance;
  v1::AssignmentAction action = v1::RUN;
  absl::Time lease_until;
  absl::Time run_since = absl::InfiniteFuture();
  std::string activity;  // as the worker reported it last

  int failures = 0;       // infrastructure failures and lost leases
  std::string failure;    // why it failed last
  std::string failed_on;  // worker to avoid
  absl::Time not_before = absl::InfinitePast();
  bool dead_letter = false;
  absl::Time dead_at;          // with dead_letter
  v1::AssignmentState result;  // with kFinished

  absl::Time no_card_since = absl::InfiniteFuture();
  absl::Time wait_since = absl::InfiniteFuture();  // waits for a card to be free
  std::vector<v1::PhaseInterval> waits;
  std::string waiting_text;
  std::vector<WorkNotice> notices;  // not yet taken by the caller
};

struct CardEntry {
  std::string worker_id;
  std::string instance;
  std::set<std::string> retired_instances;  // processes that had this worker id before
  v1::CardState state;
  absl::Time last_seen = absl::InfinitePast();
  bool drain_wanted = false;   // by an administrator
  bool worker_drains = false;  // the worker wants no more
  CardQuarantine quarantine;
  uint64_t revision = 0;  // of its desired state
  double busy_seconds = 0;
};

// What a fresh process needs to know of a piece of work. Nothing for work that nobody wants any more.
std::optional<storage::v1::LeaseRecord> RecordOf(const Work& work);
Work WorkOf(const storage::v1::LeaseRecord& record);

// Status of a finished assignment, from its report or its inspection.
v1::EvaluationStatus StatusOf(const v1::AssignmentState& finished);
std::string SummaryOf(const v1::AssignmentState& finished);

// The result of work that failed too often without one: status INFRASTRUCTURE and the reason.
v1::AssignmentState InfrastructureResult(const Work& work);

}  // namespace kernelsmith::server
