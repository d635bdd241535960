// An flock(2) on a file, held until destroyed or until the process dies, however it dies.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace kernelsmith::worker {

enum class LockMode { kShared, kExclusive };

class FileLock {
 public:
  // Opens (creating if need be) and tries to lock without waiting. UNAVAILABLE if somebody else holds it.
  static absl::StatusOr<FileLock> Try(const std::string& path, LockMode mode);
  FileLock() = default;
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

  bool held() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  void Release();

 private:
  explicit FileLock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

}  // namespace kernelsmith::worker
