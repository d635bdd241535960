// A device image that the driver made: a shared object whose kernels are exported under their mangled names.
//
// The type of a kernel is known by the section it lies in: .ks.mix01 (vector cores that can be synchronised by
// hardware), .ks.aiv (declared __vector__), any other (not declared: the compiler of a card would find out what it
// needs).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace kernelsmith::emulator {

enum class KernelType : uint8_t { kUndeclared = 0, kVector, kMixVector };

class Image {
 public:
  // NOT_FOUND: no such kernel in the image. INVALID_ARGUMENT: cannot be loaded (the message names what is undefined).
  static absl::StatusOr<Image> Open(const std::string& path, const std::string& kernel);
  Image(Image&&) noexcept;
  Image& operator=(Image&&) = delete;
  ~Image();

  void* entry() const { return entry_; }
  KernelType type() const { return type_; }
  // Whether the bytes are constants of the image, which kernels may read.
  bool Readable(uintptr_t address, size_t bytes) const;

 private:
  Image() = default;

  void* handle_ = nullptr;
  void* entry_ = nullptr;
  KernelType type_ = KernelType::kUndeclared;
  std::vector<std::pair<uintptr_t, uintptr_t>> segments_;
};

}  // namespace kernelsmith::emulator
