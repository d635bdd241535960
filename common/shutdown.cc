#include "common/shutdown.h"

#include <csignal>

namespace kernelsmith::common {
namespace {

sigset_t ShutdownSet() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

}  // namespace

void BlockShutdownSignals() {
  const sigset_t set = ShutdownSet();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

int WaitForShutdownSignal() {
  const sigset_t set = ShutdownSet();
  int received = 0;
  while (sigwait(&set, &received) != 0) {
  }
  return received;
}

void UnblockShutdownSignals() {
  const sigset_t set = ShutdownSet();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace kernelsmith::common
