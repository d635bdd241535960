#include "memory/retrieval/lexical/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace kernelsmith::memory {

absl::StatusOr<MappedFile> MappedFile::Open(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return common::ErrnoStatus(errno, absl::StrCat("cannot open ", path));
  struct stat status {};
  const bool known = fstat(file, &status) == 0;
  const auto size = static_cast<size_t>(status.st_size);
  void* const bytes = known && size > 0 ? mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
  const int error = errno;
  close(file);
  if (known && size == 0) return absl::DataLossError(absl::StrCat(path, " is empty"));
  if (bytes == MAP_FAILED) return common::ErrnoStatus(error, absl::StrCat("cannot map ", path));
  return MappedFile(absl::string_view(static_cast<const char*>(bytes), size));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

}  // namespace kernelsmith::memory
