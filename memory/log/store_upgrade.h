// In-place upgrade of a store, and making its heads anew. Both may be killed at any point: the next start goes on.
#pragma once

#include "absl/status/status.h"
#include "common/rocks.h"

namespace kernelsmith::memory {

// Brings a store of an older format to kFactFormat, and finishes a RebuildHeads that was cut off. Nothing to do for a
// store of this format. REQUIRES: `store` has the families of StoreFamilies; nothing else uses it.
absl::Status UpgradeStore(common::RocksStore& store);

// Empties the family of heads and fills it from the facts. REQUIRES: as above.
absl::Status RebuildHeads(common::RocksStore& store);

}  // namespace kernelsmith::memory
