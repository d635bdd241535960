// From a kernel and its arguments to a task of the device process.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "worker/emulator/runtime/client/process_state.h"

namespace kernelsmith::emulator::acl {

struct ArgumentView {
  const void* value;
  uint32_t size;
};

inline constexpr uint32_t kMaxBlocks = 65535;
inline constexpr size_t kMaxArgumentBytes = 64 * 1024;

struct LaunchRequest {
  Kernel kernel;
  uint32_t blocks = 1;
  void* stream = nullptr;
  std::vector<ArgumentView> arguments;
  uint64_t device_arguments = 0;  // instead of `arguments`: where they lie in device memory, 8 bytes each
  uint64_t device_argument_bytes = 0;
};

// kOk, or an error of RequireStream, kParamInvalid for the number of blocks or the size of arguments, kKernelLookup for
// a kernel that its image does not export, the code of an earlier failure in stop mode. `task` receives the number.
int Launch(const char* call, const LaunchRequest& request, uint64_t* task = nullptr);

// Registers an image under a new handle, which is its address.
std::shared_ptr<Image> AddImage(const void* bytes, size_t size, bool copy);

}  // namespace kernelsmith::emulator::acl
