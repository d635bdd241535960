// Reads a whole store and compares what it holds with itself: RocksDB's checksums, the checksum of every record, every
// head with what its fact gives, every idempotency key with its fact.
//
//   ASSIGN_OR_RETURN(const StoreCheck check, CheckStore(store->rocks(), [](uint64_t facts) { ... }));
//   if (!check.differences.empty()) ...
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/rocks.h"

namespace kernelsmith::memory {

struct StoreCheck {
  uint64_t facts = 0;                    // read
  std::vector<std::string> differences;  // at most 100, each names what differs; empty for a sound store
};

// `progress` hears from time to time how many facts were read. The state is that of the call's beginning, whatever is
// written meanwhile. Errors are of reading at all; damage is a difference. Thread-safe.
absl::StatusOr<StoreCheck> CheckStore(common::RocksStore& store, const std::function<void(uint64_t facts)>& progress);

}  // namespace kernelsmith::memory
