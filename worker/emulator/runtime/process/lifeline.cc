#include "worker/emulator/runtime/process/lifeline.h"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <thread>

namespace kernelsmith::emulator {
namespace {

constexpr int kLookMs = 250;
constexpr useconds_t kMomentUs = 1500000;

void Watch(int socket, pid_t client) {
  ::pthread_setname_np(::pthread_self(), "lifeline");
  for (;;) {
    pollfd line{socket, 0, 0};
    if (::poll(&line, 1, kLookMs) > 0 || ::getppid() != client) break;
  }
  ::usleep(kMomentUs);
  ::_exit(1);  // executors die with the thread that forked them
}

}  // namespace

void WatchClient(int socket, pid_t client) { std::thread(Watch, socket, client).detach(); }

}  // namespace kernelsmith::emulator
