#include "worker/emulator/driver/folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"

namespace kernelsmith::emulator {

namespace fs = std::filesystem;

absl::StatusOr<TemporaryFolder> TemporaryFolder::Create() {
  std::error_code error;
  const fs::path base = fs::temp_directory_path(error);
  std::string path = absl::StrCat(error ? "/tmp" : base.string(), "/bisheng-XXXXXX");
  if (mkdtemp(path.data()) == nullptr) {
    return absl::ResourceExhaustedError(absl::StrCat("cannot create folder ", path, ": ", std::strerror(errno)));
  }
  return TemporaryFolder(std::move(path));
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, "")) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

absl::StatusOr<std::string> ReadWholeFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return absl::NotFoundError(absl::StrCat("cannot read ", path));
  return std::string(std::istreambuf_iterator<char>(in), {});
}

absl::Status PutFile(const std::string& from, const std::string& to) {
  std::error_code error;
  if (fs::exists(to, error) && !fs::is_regular_file(to, error)) {
    std::ofstream out(to, std::ios::binary);
    if (!(out << std::ifstream(from, std::ios::binary).rdbuf()).flush()) {
      return absl::PermissionDeniedError(absl::StrCat("unable to open output file '", to, "'"));
    }
    return absl::OkStatus();
  }
  fs::rename(from, to, error);
  if (!error) return absl::OkStatus();
  // Another file system: copy beside it first.
  const std::string beside = absl::StrCat(to, ".part");
  error.clear();
  fs::copy_file(from, beside, fs::copy_options::overwrite_existing, error);
  if (!error) fs::rename(beside, to, error);
  if (!error) return absl::OkStatus();
  const std::string reason = error.message();
  fs::remove(beside, error);
  return absl::PermissionDeniedError(absl::StrCat("unable to open output file '", to, "': ", reason));
}

}  // namespace kernelsmith::emulator
