// Compiled objects by key, in a folder: <key>.so. Safe between processes: objects appear by rename, builds of one key
// are serialised by a file lock, and the oldest use goes first when the folder grows too large.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "worker/locks/file_lock.h"

namespace kernelsmith::worker {

// Thread-safe.
class CompileCache {
 public:
  // Makes the folder.
  static absl::StatusOr<CompileCache> Open(const std::string& folder, int64_t max_bytes);

  // Path of the object, freshly marked as used; nothing if there is none.
  std::optional<std::string> Find(const std::string& key) const;
  // Waits for whoever builds the same key. DEADLINE_EXCEEDED if that lasts beyond the deadline.
  absl::StatusOr<FileLock> LockKey(const std::string& key, absl::Time deadline) const;
  // Stores and returns the path. Evicts others, except objects used within the last hour.
  absl::StatusOr<std::string> Store(const std::string& key, absl::string_view object) const;

 private:
  CompileCache(std::string folder, int64_t max_bytes) : folder_(std::move(folder)), max_bytes_(max_bytes) {}
  std::string PathOf(const std::string& key) const;
  void Evict() const;

  std::string folder_;
  int64_t max_bytes_;
};

}  // namespace kernelsmith::worker
