// A host on which four programs, or as many as asked for, want each processor, as long as the object lives. Each has a
// session of its own: a scheduler that shares between sessions first must not put them all on one side.
#pragma once

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

namespace kernelsmith::worker::testing_support {

class BusyHost {
 public:
  explicit BusyHost(int programs_each = 4) {
    const long programs = programs_each * ::sysconf(_SC_NPROCESSORS_ONLN);
    for (long i = 0; i < programs; ++i) {
      const pid_t pid = ::fork();
      if (pid > 0) programs_.push_back(pid);
      if (pid == 0) Spin();
    }
  }
  ~BusyHost() {
    for (const pid_t pid : programs_) ::kill(pid, SIGKILL);
    for (const pid_t pid : programs_) ::waitpid(pid, nullptr, 0);
  }
  BusyHost(const BusyHost&) = delete;
  BusyHost& operator=(const BusyHost&) = delete;

 private:
  [[noreturn]] static void Spin() {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::setsid();
    while (true) asm volatile("");
  }
  std::vector<pid_t> programs_;
};

}  // namespace kernelsmith::worker::testing_support
