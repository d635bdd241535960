// Leases, results, drains and dead letters on disk. Documented in docs/formats.md.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/rocks.h"
#include "server/scheduling/work_board.h"

namespace kernelsmith::server {

// Thread-safe. Every write is synced before it returns.
class LeaseStore {
 public:
  static absl::StatusOr<std::unique_ptr<LeaseStore>> Open(const std::string& folder);

  struct Content {
    std::vector<storage::v1::LeaseRecord> records;
    std::vector<std::string> drained_workers;
  };
  // What the last run left. Removes what nobody can ask for any more: work without a job (its caller went with the old
  // process), and records queued before `too_old`.
  absl::StatusOr<Content> Load(absl::Time too_old);

  // One batch. A finished dead letter is also kept in the list of dead letters.
  absl::Status Write(const WorkBoard::DirtyRecords& records);
  absl::Status WriteDrain(const std::string& worker_id, bool drain);
  // Newest first.
  absl::StatusOr<std::vector<v1::DeadLetter>> DeadLetters() const;
  absl::Status RemoveDeadLetter(const std::string& assignment_id);
  int64_t dead_letter_count() const { return dead_letter_count_; }

 private:
  explicit LeaseStore(std::unique_ptr<common::RocksStore> store) : store_(std::move(store)) {}
  absl::Status TrimDeadLetters();
  absl::StatusOr<bool> HasDeadLetter(const std::string& assignment_id) const;

  const std::unique_ptr<common::RocksStore> store_;
  std::atomic<int64_t> dead_letter_count_ = 0;
};

}  // namespace kernelsmith::server
