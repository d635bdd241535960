// Waits for SIGTERM or SIGINT, so that a daemon can drain.
//
//   BlockShutdownSignals();              // first thing in main, before threads start
//   ... start serving ...
//   int signal = WaitForShutdownSignal();
#pragma once

namespace kernelsmith::common {

// Blocks SIGTERM and SIGINT in this thread and all that it starts; ignores SIGPIPE.
void BlockShutdownSignals();

// Returns the signal's number.
int WaitForShutdownSignal();

// Unblocks the signals again in a child before exec.
void UnblockShutdownSignals();

}  // namespace kernelsmith::common
