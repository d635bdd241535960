// Whether a program that failed did so for want of memory, as far as can be told from outside. Pure.
#pragma once

#include "worker/jail/jail.h"

namespace kernelsmith::worker {

// True if it was killed by SIGKILL though nobody here did it (the kernel's out-of-memory killer), or failed with one of
// the messages by which C++, GCC, Python, PyTorch and the dynamic linker report exhausted memory near the end of its
// stderr.
bool LooksOutOfMemory(const ExitReport& report);

}  // namespace kernelsmith::worker
