// A temporary folder that disappears with its owner, and the move of a finished file to where the author wants it.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace kernelsmith::emulator {

class TemporaryFolder {
 public:
  static absl::StatusOr<TemporaryFolder> Create();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::string& path() const { return path_; }
  std::string File(const std::string& name) const { return path_ + "/" + name; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// The whole file; NOT_FOUND when it cannot be read.
absl::StatusOr<std::string> ReadWholeFile(const std::string& path);

// Puts `from` in the place of `to`, whole or not at all; a device such as /dev/null is written into.
absl::Status PutFile(const std::string& from, const std::string& to);

}  // namespace kernelsmith::emulator
