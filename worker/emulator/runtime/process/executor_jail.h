// What the process of one launch may do: compute, map memory for itself, read files, write to the two descriptors it
// has, and end. Not: start programs or processes, use the network, write files, signal others.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <initializer_list>

namespace kernelsmith::emulator {

// Called in the child right after fork. Binds its life to `parent`, closes every descriptor but `keep` and the standard
// ones (which become /dev/null), sets limits and the system-call filter. False if the filter cannot be set: do not run
// the kernel then.
bool EnterExecutorJail(pid_t parent, std::initializer_list<int> keep, uint64_t address_space_bytes);

}  // namespace kernelsmith::emulator
