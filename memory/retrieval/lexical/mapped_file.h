// A file mapped for reading. The file may be unlinked or renamed while it is mapped; nobody may shorten it.
#pragma once

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace kernelsmith::memory {

class MappedFile {
 public:
  // NOT_FOUND, PERMISSION_DENIED, ... as the system says; DATA_LOSS for an empty file.
  static absl::StatusOr<MappedFile> Open(const std::string& path);

  MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  // Begins at a multiple of the page size.
  absl::string_view bytes() const { return bytes_; }

 private:
  explicit MappedFile(absl::string_view bytes) : bytes_(bytes) {}

  absl::string_view bytes_;
};

}  // namespace kernelsmith::memory
