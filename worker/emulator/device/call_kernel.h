// Calls a kernel by the Microsoft x64 convention: every argument takes one slot of 8 bytes; values of 1, 2, 4 and 8
// bytes lie in their slot, all others are passed by reference. So the sizes of the arguments are all a caller has to
// know.
#pragma once

#include <cstddef>
#include <cstdint>

#include "worker/emulator/device/executor.h"

namespace kernelsmith::emulator {

// Copies the values to the stack of the caller and calls. `arguments` as in Launch.
void CallKernel(void* entry, const std::vector<KernelArgument>& arguments);

}  // namespace kernelsmith::emulator
