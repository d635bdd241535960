#include "worker/locks/lock_folder.h"

#include <errno.h>
#include <sys/stat.h>

#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "common/status.h"

namespace kernelsmith::worker {
namespace {

constexpr mode_t kOpenAndSticky = 01777;

}  // namespace

std::string DefaultLockFolder() {
  std::error_code error;
  const std::filesystem::path temporary = std::filesystem::temp_directory_path(error);
  return ((error ? std::filesystem::path("/tmp") : temporary) / "kernelsmith-locks").string();
}

absl::Status MakeLockFolder(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return absl::OkStatus();
  const std::string parent = std::filesystem::path(path).parent_path().string();
  if (!parent.empty()) RETURN_IF_ERROR(common::MakeFolders(parent));
  if (::mkdir(path.c_str(), 0700) != 0) {
    if (errno != EEXIST) return common::ErrnoStatus(errno, absl::StrCat("cannot create the lock folder ", path));
    if (std::filesystem::is_directory(path, error)) return absl::OkStatus();
    return absl::FailedPreconditionError(absl::StrCat("the lock folder ", path, " is no folder; name another one"));
  }
  // The mode of mkdir is subject to the process's mask.
  if (::chmod(path.c_str(), kOpenAndSticky) != 0) {
    return common::ErrnoStatus(errno, absl::StrCat("cannot open the lock folder ", path, " to other users"));
  }
  return absl::OkStatus();
}

}  // namespace kernelsmith::worker
