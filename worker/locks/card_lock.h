// One worker per card and host: an exclusive file lock that ends with the process.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "worker/locks/file_lock.h"

namespace kernelsmith::worker {

// Holds <lock_dir>/card-<card_id>.lock until destroyed. ALREADY_EXISTS names the process that holds it.
absl::StatusOr<FileLock> LockCard(const std::string& lock_dir, const std::string& card_id);

// As above, but waits for a holder that is just going: a worker that was killed may hold its lock for a moment.
absl::StatusOr<FileLock> AwaitCard(const std::string& lock_dir, const std::string& card_id, absl::Time deadline);

}  // namespace kernelsmith::worker
