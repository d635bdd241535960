#include "worker/toolchains/compile_cache.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/file_io.h"
#include "common/status.h"

namespace kernelsmith::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::hours kInUse{1};
constexpr absl::Duration kPoll = absl::Milliseconds(20);

}  // namespace

absl::StatusOr<CompileCache> CompileCache::Open(const std::string& folder, int64_t max_bytes) {
  RETURN_IF_ERROR(common::MakeFolders(folder));
  return CompileCache(folder, max_bytes);
}

std::string CompileCache::PathOf(const std::string& key) const { return absl::StrCat(folder_, "/", key, ".so"); }

std::optional<std::string> CompileCache::Find(const std::string& key) const {
  const std::string path = PathOf(key);
  if (::utimensat(AT_FDCWD, path.c_str(), nullptr, 0) != 0) return std::nullopt;
  return path;
}

absl::StatusOr<FileLock> CompileCache::LockKey(const std::string& key, absl::Time deadline) const {
  // A bounded number of lock files; two keys that share one only wait for each other.
  const std::string path = absl::StrCat(folder_, "/", key.substr(0, 3), ".lock");
  while (true) {
    absl::StatusOr<FileLock> lock = FileLock::Try(path, LockMode::kExclusive);
    if (lock.ok() || !absl::IsUnavailable(lock.status())) return lock;
    if (absl::Now() > deadline) return absl::DeadlineExceededError("another worker still compiles the same candidate");
    absl::SleepFor(kPoll);
  }
}

absl::StatusOr<std::string> CompileCache::Store(const std::string& key, absl::string_view object) const {
  const std::string path = PathOf(key);
  RETURN_IF_ERROR(common::WriteFileAtomically(path, object));
  // The jail that runs it may have a user id of its own.
  if (::chmod(path.c_str(), 0644) != 0)
    return common::ErrnoStatus(errno, absl::StrCat("cannot set the mode of ", path));
  Evict();
  return path;
}

void CompileCache::Evict() const {
  struct Object {
    fs::path path;
    fs::file_time_type used;
    int64_t bytes;
  };
  std::vector<Object> objects;
  int64_t total = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder_, error)) {
    if (entry.path().extension() != ".so") continue;
    std::error_code gone;
    Object object{entry.path(), entry.last_write_time(gone), static_cast<int64_t>(entry.file_size(gone))};
    if (gone) continue;
    total += object.bytes;
    objects.push_back(std::move(object));
  }
  std::sort(objects.begin(), objects.end(), [](const Object& a, const Object& b) { return a.used < b.used; });
  const auto recent = fs::file_time_type::clock::now() - kInUse;
  for (const Object& object : objects) {
    if (total <= max_bytes_ || object.used > recent) return;
    fs::remove(object.path, error);
    total -= object.bytes;
  }
}

}  // namespace kernelsmith::worker
