// A consistent copy of a store that goes on serving. The copy is a store: to restore it, start with a copy of that
// folder as data folder. On the same file system the copy shares the immutable files with the store by hard links and
// takes no space of its own at first; on another one everything is copied.
//
//   ASSIGN_OR_RETURN(const BackupSummary made, BackUpStore(store->rocks(), "/backup/memory-2026-01-31"));
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "common/rocks.h"

namespace kernelsmith::memory {

struct BackupSummary {
  uint64_t last_sequence = 0;  // the greatest fact in the copy
  int64_t bytes = 0;           // of its files
};

// Writes the copy beside `directory`, syncs it, reads all of it back with its checksums, and only then gives it the
// name. ALREADY_EXISTS if `directory` exists and is not empty; after any error `directory` is as it was. Thread-safe.
absl::StatusOr<BackupSummary> BackUpStore(common::RocksStore& store, const std::string& directory);

}  // namespace kernelsmith::memory
