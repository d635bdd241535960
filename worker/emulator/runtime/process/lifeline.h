// Ends the device process when its client is gone, whatever its main thread is doing.
#pragma once

#include <sys/types.h>

namespace kernelsmith::emulator {

// Starts a thread that watches the other end of `socket` and whether `client` is still the parent. The main thread has
// a moment to end by itself.
void WatchClient(int socket, pid_t client);

}  // namespace kernelsmith::emulator
