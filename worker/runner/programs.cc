#include "worker/runner/programs.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"

namespace kernelsmith::worker {

std::string FolderOfThisProgram() {
  std::array<char, PATH_MAX> path;
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  const std::string program(path.data(), static_cast<size_t>(std::max<ssize_t>(0, size)));
  return program.substr(0, program.rfind('/'));
}

absl::StatusOr<std::string> FindProgram(const std::string& name, const std::string& given) {
  if (!given.empty()) return given;
  const std::string folder = FolderOfThisProgram();
  for (const char* place : {"/", "/../bin/", "/../libexec/"}) {
    const std::string path = absl::StrCat(folder, place, name);
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return absl::FailedPreconditionError(
      absl::StrCat(name, " is neither in ", folder, " nor in ../bin or ../libexec of it; install it there"));
}

absl::Status CheckReadableByAll(const std::string& path, mode_t mode) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0) return absl::NotFoundError(absl::StrCat(path, " does not exist"));
  if ((info.st_mode & mode) == mode) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(path, " is not open to every user; change its mode"));
}

}  // namespace kernelsmith::worker
