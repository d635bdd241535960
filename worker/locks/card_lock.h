// One worker per card and host: an exclusive file lock that ends with the process.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "worker/locks/file_lock.h"

namespace kernelsmith::worker {

// Holds <lock_dir>/card-<card_id>.lock until destroyed. ALREADY_EXISTS names the process that holds it.
absl::StatusOr<FileLock> LockCard(const std::string& lock_dir, const std::string& card_id);

}  // namespace kernelsmith::worker
