// Leases, results, drains and dead letters on disk. Documented in docs/formats.md.
#pragma once

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
  absl::StatusOr<std::vector<DeadLetter>> DeadLetters() const;

 private:
  explicit LeaseStore(std::unique_ptr<common::RocksStore> store) : store_(std::move(store)) {}
  absl::Status TrimDeadLetters();
  const std::unique_ptr<common::RocksStore> store_;
};

}  // namespace kernelsmith::server
