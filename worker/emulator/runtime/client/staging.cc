#include "worker/emulator/runtime/client/staging.h"

#include <sys/mman.h>
#include <unistd.h>

namespace kernelsmith::emulator::acl {

std::shared_ptr<Staging> Staging::Create(size_t bytes) {
  const int descriptor = ::memfd_create("emulated-device-copy", MFD_CLOEXEC);
  if (descriptor < 0) return nullptr;
  void* data = MAP_FAILED;
  if (::ftruncate(descriptor, static_cast<off_t>(bytes)) == 0) {
    data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  }
  if (data == MAP_FAILED) {
    ::close(descriptor);
    return nullptr;
  }
  return std::shared_ptr<Staging>(new Staging(descriptor, data, bytes));
}

Staging::~Staging() {
  CloseDescriptor();
  ::munmap(data_, bytes_);
}

void Staging::CloseDescriptor() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

}  // namespace kernelsmith::emulator::acl
