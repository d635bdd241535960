// What the runner says when it dies of a signal: which, and if it can be told, why. Hints only; the candidate shares
// its address space.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kernelsmith::worker::runner {

// Which call is running, for the report.
struct RunningCall {
  uint32_t sequence = 0;
  int32_t slot = -1;
};
extern RunningCall g_running_call;

// A range of read-only inputs, so that a write to one is told from other bad addresses. At most 64 are kept.
void NoteInputs(const std::byte* begin, size_t bytes);

// Reports SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT and SIGSYS on the socket, then dies of the same signal.
void InstallFaultHandlers();

}  // namespace kernelsmith::worker::runner
