// The append-only log of facts. A fact is durable once Append has returned, and is stored once per (team, idempotency
// key).
//
//   ASSIGN_OR_RETURN(std::unique_ptr<FactStore> store, FactStore::Open(folder));
//   std::vector<AppendResult> results = store->Append({&fact});
//   RETURN_IF_ERROR(store->ScanHeads(0, [&](const Fact& head) { graph.Apply(head); return absl::OkStatus(); }));
//
// Sequence numbers are unique over all teams and rise; a number may be missing, never repeated. Keys begin with the
// team. Beside every fact stands its head (head.h), written in the same batch. Every record carries a checksum that is
// checked whenever it is read. Damage is DATA_LOSS and never passed over; store_repair.h salvages what is left.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/rocks.h"
#include "memory/log/fact_record.h"
#include "memory/log/store_families.h"

namespace kernelsmith::memory {

// "kind<tab>id" or "kind<tab>producer<tab>id". Ids hold no control characters, so no two facts share a key by accident.
std::string FactKeyOf(absl::string_view kind, absl::string_view id);
std::string FactKeyOf(absl::string_view kind, absl::string_view producer, absl::string_view id);

struct AppendResult {
  absl::Status status;    // ALREADY_EXISTS: the key is taken by other content; otherwise the error of the write
  uint64_t sequence = 0;  // of the stored fact, the earlier one if `duplicate`
  bool duplicate = false;
};

// What RocksDB says of its backlog. Writers are slowed down, and in the end stopped, when it grows.
struct StoreHealth {
  int64_t memtable_bytes = 0;
  int64_t unflushed_memtables = 0;       // full ones
  int64_t level0_files = 0;              // of the family that has most
  int64_t pending_compaction_bytes = 0;  // estimate
  int64_t delayed_write_rate = 0;        // bytes/s that writers are held to; 0 if they are not
  bool writes_stopped = false;
  int64_t background_errors = 0;
};

class FactStore {
 public:
  using Visitor = std::function<absl::Status(const Fact&)>;

  // Creates `folder` if it is missing, upgrades an older format in place (a kill meanwhile is safe: the next start goes
  // on). UNAVAILABLE if another process has it open, FAILED_PRECONDITION if a newer program wrote it, DATA_LOSS if it
  // is damaged; a torn end of the write-ahead log is no damage.
  static absl::StatusOr<std::unique_ptr<FactStore>> Open(const std::string& folder,
                                                         const FactStoreOptions& options = {});

  // Numbers and writes the new facts among `facts` in one synced batch, in their order, and sets their `sequence`. A
  // fact whose (team, idempotency_key) is stored already, or stands earlier in `facts`, is a duplicate if
  // content_sha256 agrees and a conflict otherwise. When the write fails, nothing of the batch is stored. On a disk
  // with less than the reserve free that is RESOURCE_EXHAUSTED, and the first append that finds room again works. If
  // the reserve is used up by others within one write it may be UNAVAILABLE until the store is opened again. REQUIRES:
  // calls do not overlap (see CommitQueue); every team is non-empty and free of zero bytes.
  std::vector<AppendResult> Append(const std::vector<PreparedFact*>& facts);
  // Prepares them first; sets their `format` and `notes` too.
  std::vector<AppendResult> Append(const std::vector<Fact*>& facts);

  // Calls `visit` for every fact with sequence >= `from`, in sequence order over all teams; stops at its first error.
  // The fact is the visitor's for the call only. DATA_LOSS if a record is damaged. Thread-safe.
  absl::Status Scan(uint64_t from, const Visitor& visit) const;
  // The same with the heads, which lack texts (DroppedFields).
  absl::Status ScanHeads(uint64_t from, const Visitor& visit) const;

  // One fact. NOT_FOUND if the team has none of this number. Thread-safe.
  absl::StatusOr<Fact> Read(absl::string_view team, uint64_t sequence) const;

  // Several facts of one team in one read, in the order asked for. NOT_FOUND if one is missing. Thread-safe.
  absl::StatusOr<std::vector<Fact>> ReadMany(absl::string_view team, const std::vector<uint64_t>& sequences) const;

  // Makes the heads anew from the facts, for when ScanHeads reports damage. A kill meanwhile is safe.
  // REQUIRES: nothing else uses the store meanwhile.
  absl::Status RebuildHeads();

  // Thread-safe.
  StoreHealth Health() const;
  // Approximate bytes of the team's records, and bytes of the whole store. Thread-safe.
  int64_t TeamBytes(absl::string_view team) const;
  int64_t TotalBytes() const;

  const std::string& folder() const { return folder_; }
  // For the other files of this folder: backup, check, embeddings.
  common::RocksStore& rocks() const { return *rocks_; }

 private:
  FactStore(std::unique_ptr<common::RocksStore> rocks, std::string folder, int64_t reserved_bytes)
      : rocks_(std::move(rocks)), folder_(std::move(folder)), reserved_bytes_(reserved_bytes) {}
  absl::Status Write(rocksdb::WriteBatch& batch);
  rocksdb::Status GoOnAfterFullDisk();

  const std::unique_ptr<common::RocksStore> rocks_;
  const std::string folder_;
  const int64_t reserved_bytes_;
  uint64_t last_sequence_ = 0;  // touched by Open and Append only
};

}  // namespace kernelsmith::memory
