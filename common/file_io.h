// Whole files, written so that a crash leaves the old or the new one.
#pragma once

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace kernelsmith::common {

absl::StatusOr<std::string> ReadFile(const std::string& path);

// Write to a temporary file beside `path`, fsync, rename over it, fsync the folder.
absl::Status WriteFileDurably(const std::string& path, absl::string_view content);

// As above without the fsyncs: atomic, not durable. For port files and caches.
absl::Status WriteFileAtomically(const std::string& path, absl::string_view content);

// mkdir -p with mode 0700.
absl::Status MakeFolders(const std::string& path);

// Free bytes of the file system that holds `path`, for an ordinary user.
absl::StatusOr<int64_t> FreeDiskBytes(const std::string& path);

// A folder under TMPDIR (else /tmp) that is removed with everything in it when the object goes.
class TemporaryFolder {
 public:
  static absl::StatusOr<TemporaryFolder> Make(absl::string_view prefix);
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace kernelsmith::common
