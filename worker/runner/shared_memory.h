// A block of anonymous shared memory (memfd) mapped in this process, to be mapped again in a child. Its size is sealed,
// so no child can make the parent fault by truncating it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"

namespace kernelsmith::worker {

class SharedMemory {
 public:
  enum class Access {
    kParentWrites,  // whoever receives the descriptor can map it for reading only
    kChildWrites,   // the child may write too
  };

  SharedMemory() = default;
  // bytes of 0 gives an empty block without descriptor. RESOURCE_EXHAUSTED if the system refuses.
  static absl::StatusOr<SharedMemory> Create(const char* name, int64_t bytes, Access access);
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  std::byte* data() const { return data_; }
  int64_t size() const { return size_; }
  int fd() const { return fd_; }  // -1 when empty

 private:
  int fd_ = -1;
  std::byte* data_ = nullptr;
  int64_t size_ = 0;
};

}  // namespace kernelsmith::worker
