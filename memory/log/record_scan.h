// Reading the families "facts" and "heads" from a database, in order.
#pragma once

#include <rocksdb/db.h>

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "memory/log/head.h"

namespace kernelsmith::memory {

// Calls `visit` for every record with sequence >= `from`, in sequence order over all teams; stops at its first error.
// One consistent state of the database, whatever is written meanwhile. DATA_LOSS if a record is damaged.
absl::Status ScanRecords(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family, uint64_t from,
                         const std::function<absl::Status(const Fact&)>& visit);

// The greatest sequence of a family, 0 if it is empty.
absl::StatusOr<uint64_t> LastSequence(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family);

// Calls `visit` with the name of every team that has records in the family.
absl::Status VisitTeams(rocksdb::DB& db, const rocksdb::ReadOptions& options, rocksdb::ColumnFamilyHandle* family,
                        const std::function<absl::Status(const std::string& team)>& visit);

}  // namespace kernelsmith::memory
