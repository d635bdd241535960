// Bytes that a task of the device process reads or writes while the program's own memory may change: a file in memory
// that both sides map.
//
// Example:
//   auto staging = Staging::Create(count);
//   std::memcpy(staging->data(), source, count);
//   ... enqueue with staging->descriptor(), then staging->CloseDescriptor() ...
#pragma once

#include <cstddef>
#include <memory>

namespace kernelsmith::emulator::acl {

class Staging {
 public:
  // Null if there is no memory. REQUIRES: bytes > 0.
  static std::shared_ptr<Staging> Create(size_t bytes);
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  void* data() const { return data_; }
  int descriptor() const { return descriptor_; }
  // The mapping stays.
  void CloseDescriptor();

 private:
  Staging(int descriptor, void* data, size_t bytes) : descriptor_(descriptor), data_(data), bytes_(bytes) {}
  int descriptor_;
  void* data_;
  size_t bytes_;
};

}  // namespace kernelsmith::emulator::acl
