#include "client/cli/interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "client/cli/exit_code.h"

namespace kernelsmith::client {
namespace {

sigset_t ShutdownSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

Interrupts::Interrupts() {
  const sigset_t set = ShutdownSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  waiter_ = std::jthread([this](const std::stop_token& done) {
    pthread_setname_np(pthread_self(), "ks-signals");
    const sigset_t waited = ShutdownSignals();
    while (!done.stop_requested()) {
      const timespec slice{.tv_sec = 0, .tv_nsec = 100'000'000};
      const int caught = sigtimedwait(&waited, nullptr, &slice);
      if (caught <= 0) continue;
      signal_ = caught;
      ++count_;
      if (source_.stop_requested() && !patient_) _exit(kExitDetached);
      source_.request_stop();
    }
  });
}

Interrupts::~Interrupts() {
  waiter_.request_stop();
  waiter_.join();
}

}  // namespace kernelsmith::client
