// One `up` per data folder.
#pragma once

#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace kernelsmith::client {

// Held until destroyed or until the process dies, however it dies.
class InstanceLock {
 public:
  // FAILED_PRECONDITION names the process that holds it.
  static absl::StatusOr<InstanceLock> Take(const std::string& path);
  InstanceLock(InstanceLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  InstanceLock& operator=(InstanceLock&&) = delete;
  ~InstanceLock();

 private:
  explicit InstanceLock(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace kernelsmith::client
