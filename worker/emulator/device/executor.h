// Runs one launch of a kernel and leaves its trace. Called in a process forked and jailed for this launch: the image is
// native code of an unknown author, and after it ran nothing in the process is to be trusted but what the trace reader
// accepts.
//
// Example (in the child):
//   TraceBuffer trace(shared_memory);
//   LaunchEnd end = ExecuteLaunch(launch, soc, memory, console, trace);
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "worker/emulator/device/trace_buffer.h"
#include "worker/emulator/soc/soc.pb.h"

namespace kernelsmith::emulator {

struct KernelArgument {
  const void* bytes;
  uint32_t size;  // as the host passed it; the image's kernels use the Microsoft x64 convention, so sizes are enough
};

struct Launch {
  std::string image_path;  // shared object made by the driver; its kernels are exported under their mangled names
  std::string kernel;      // mangled name
  uint32_t blocks = 1;
  std::vector<KernelArgument> arguments;
  bool auto_sync = true;    // how it was compiled; recorded in the image
  uint64_t step_limit = 0;  // basic blocks of scalar code per core; 0: none
};

struct Allocation {
  uint64_t address;
  uint64_t bytes;  // as the program asked for
};

// Device memory as mapped in this process, at the same addresses in every process of the card.
struct GlobalMemory {
  std::vector<Allocation> allocations;  // sorted by address
};

enum class LaunchEnd : uint8_t {
  kDone = 0,
  kFault,          // an access or instruction that stops the core on hardware: 507035 (vector), 507015 (cube, mix)
  kTimeout,        // step limit: 507014 / 507034
  kHang,           // every core waits: likewise
  kAssert,         // the kernel's own assert or trap: 507035 family
  kUnknownKernel,  // the image has no such kernel, or cannot be loaded
};

// Prints of the kernel (printf, DumpTensor, assert) are written to file descriptor `console` in the documented form.
// `message` receives what went wrong, in one line.
LaunchEnd ExecuteLaunch(const Launch& launch, const v1::Soc& soc, const GlobalMemory& memory, int console,
                        TraceBuffer& trace, std::string& message);

}  // namespace kernelsmith::emulator
