// The append-only log of facts. A fact is durable once Append has returned, and is stored once per (team, idempotency
// key).
//
//   ASSIGN_OR_RETURN(std::unique_ptr<FactStore> store, FactStore::Open(folder));
//   std::vector<AppendResult> results = store->Append({&fact});
//   RETURN_IF_ERROR(store->Scan(0, [&](const Fact& fact) { graph.Apply(fact); return absl::OkStatus(); }));
//
// Sequence numbers are unique over all teams and rise; a number may be missing, never repeated. Keys begin with the
// team.
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
#include "kernelsmith/storage/v1/memory_store.pb.h"

namespace kernelsmith::memory {

using Fact = storage::v1::Fact;

// Version of the stored records.
constexpr uint32_t kFactFormat = 1;

// "kind<tab>id" or "kind<tab>producer<tab>id". Ids hold no control characters, so no two facts share a key by accident.
std::string FactKeyOf(absl::string_view kind, absl::string_view id);
std::string FactKeyOf(absl::string_view kind, absl::string_view producer, absl::string_view id);

struct AppendResult {
  absl::Status status;    // ALREADY_EXISTS: the key is taken by other content; otherwise the error of the write
  uint64_t sequence = 0;  // of the stored fact, the earlier one if `duplicate`
  bool duplicate = false;
};

class FactStore {
 public:
  // Creates `folder` if it is missing. UNAVAILABLE if another process has it open, FAILED_PRECONDITION if a newer
  // program wrote it, DATA_LOSS if it is damaged.
  static absl::StatusOr<std::unique_ptr<FactStore>> Open(const std::string& folder);

  // Numbers and writes the new facts among `facts` in one synced batch, in their order, and sets their `format` and
  // `sequence`. A fact whose (team, idempotency_key) is stored already, or stands earlier in `facts`, is a duplicate if
  // content_sha256 agrees and a conflict otherwise.
  // REQUIRES: calls do not overlap (see CommitQueue); every team is non-empty and free of zero bytes.
  std::vector<AppendResult> Append(const std::vector<Fact*>& facts);

  // Calls `visit` for every fact with sequence >= `from`, in sequence order over all teams; stops at its first error.
  // DATA_LOSS if a record does not parse. Thread-safe.
  absl::Status Scan(uint64_t from, const std::function<absl::Status(const Fact&)>& visit) const;

  // One fact. NOT_FOUND if the team has none of this number. Thread-safe.
  absl::StatusOr<Fact> Read(absl::string_view team, uint64_t sequence) const;

  // Several facts of one team in one read, in the order asked for. NOT_FOUND if one is missing. Thread-safe.
  absl::StatusOr<std::vector<Fact>> ReadMany(absl::string_view team, const std::vector<uint64_t>& sequences) const;

  // Approximate bytes of the team's records, and bytes of the whole store. Thread-safe.
  int64_t TeamBytes(absl::string_view team) const;
  int64_t TotalBytes() const;

 private:
  explicit FactStore(std::unique_ptr<common::RocksStore> rocks);
  absl::Status FindLastSequence();

  std::unique_ptr<common::RocksStore> rocks_;
  uint64_t last_sequence_ = 0;  // touched by Open and Append only
};

}  // namespace kernelsmith::memory
