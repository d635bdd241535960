// Argument lists of aclrtKernelArgs*: values in order, and placeholders, whose data is copied to the device at launch
// and whose argument is the address of that copy.
#pragma once

#include <cstddef>
#include <cstdint>

#include "worker/emulator/runtime/client/launch.h"

namespace kernelsmith::emulator::acl {

// Launches with the list behind a handle. kInvalidHandle, or an error of Launch.
int LaunchWithArguments(const char* call, LaunchRequest request, void* list);

// Launches with a block of 8-byte arguments. `placeholders` are `count` pairs: offset of an argument, and offset in the
// block of the data that the argument shall point to on the device.
int LaunchWithBlock(const char* call, LaunchRequest request, const void* block, size_t bytes,
                    const uint32_t* placeholders, size_t count);

}  // namespace kernelsmith::emulator::acl
