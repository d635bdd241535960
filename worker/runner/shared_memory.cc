#include "worker/runner/shared_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"

namespace kernelsmith::worker {

absl::StatusOr<SharedMemory> SharedMemory::Create(const char* name, int64_t bytes, Access access) {
  SharedMemory memory;
  if (bytes == 0) return memory;
  const auto fail = [bytes](const char* what) {
    return absl::ResourceExhaustedError(
        absl::StrCat(what, " of ", bytes, " bytes of shared memory failed with errno ", errno, "; use fewer slots"));
  };
  memory.fd_ = ::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory.fd_ < 0) return fail("creation");
  if (::ftruncate(memory.fd_, bytes) != 0) return fail("sizing");
  void* const data = ::mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, memory.fd_, 0);
  if (data == MAP_FAILED) return fail("mapping");
  memory.data_ = static_cast<std::byte*>(data);
  memory.size_ = bytes;
  // The mapping above stays writable; every later one of sealed memory is for reading only.
  int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (access == Access::kParentWrites) seals |= F_SEAL_FUTURE_WRITE;
  if (::fcntl(memory.fd_, F_ADD_SEALS, seals) != 0) return fail("sealing");
  return memory;
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept { *this = std::move(other); }

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) ::munmap(data_, static_cast<size_t>(size_));
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace kernelsmith::worker
