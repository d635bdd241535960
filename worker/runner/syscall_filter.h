// The system calls a kernel never needs, refused by the kernel from here on: other processes, other programs, sockets,
// files to write, tracing, namespaces, memory outside the address-space limit, and everything that could wake a stopped
// process.
#pragma once

namespace kernelsmith::worker::runner {

// Cannot be undone; threads made later inherit it. A refused call raises SIGSYS with the call's number in si_syscall.
// False if this system does not filter.
bool InstallSyscallFilter();

// Name of a refused call, for people; nullptr for a number the filter does not know.
const char* RefusedCallName(int number);

}  // namespace kernelsmith::worker::runner
