// The processes inside a jail, seen from outside through /proc: who is there, how many threads, and stopping all of
// them at once.
//
// A process is stopped with SIGSTOP, which cannot be blocked. Freeze returns only when a whole pass over the tree found
// every thread stopped or dead and no new process. For the usual case, one process with one thread, this takes a few
// reads of /proc. On an overloaded machine it takes until every thread was scheduled once or came back from the disk;
// none of them runs a single instruction of its own before it stops. A process that can send SIGCONT to itself from the
// kernel (timers) is kept from it by the runner's system-call filter.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace kernelsmith::worker {

// What one line of /proc/<pid>/stat says. Pure.
struct TaskStat {
  char state = '?';  // R, S, D, T (stopped), Z (zombie), X (dead), ...
  int threads = 0;
  absl::Duration cpu;  // user and system time, with that of children it has waited for
  bool stopped() const { return state == 'T'; }
  bool dead() const { return state == 'Z' || state == 'X'; }
  // It runs or waits for a processor. A wait in the kernel is none: a program can ask for one (vfork) to look held up.
  bool ready() const { return state == 'R'; }
};
// False if the text is not such a line. The program's name may hold any byte, parentheses too.
bool ParseTaskStat(absl::string_view line, TaskStat* stat);

// Waits until the process sleeps in the kernel (or is gone); gives up after `limit`.
void AwaitSleep(pid_t pid, absl::Duration limit);

// Thread-compatible.
class ProcessTree {
 public:
  // root is the first process; with count_root false it is the jail's own init and neither stopped nor counted.
  ProcessTree(pid_t root, bool count_root);
  ~ProcessTree();
  ProcessTree(const ProcessTree&) = delete;
  ProcessTree& operator=(const ProcessTree&) = delete;

  // DEADLINE_EXCEEDED if something is still running after `limit`; OK if nothing is left.
  absl::Status Freeze(absl::Duration limit = absl::Seconds(60));
  // Lets everything run again.
  void Thaw();
  // Threads of all processes. Exact while frozen.
  int CountTasks();
  // Processor time of the processes there are now.
  absl::Duration CpuTime() const;
  // Some thread is ready to go on.
  bool AnyReady() const;
  std::vector<pid_t> Processes() const;
  // Sends SIGKILL to every process there is now.
  void KillAll();

 private:
  bool FreezeSingle();
  bool StopAll(const std::vector<pid_t>& processes) const;
  bool Signal(pid_t pid, int number) const;
  bool WatchMain();
  bool SignalMain(int number) const;

  const pid_t root_;
  const bool count_root_;
  pid_t main_ = -1;         // the program itself
  int main_handle_ = -1;    // pidfd
  int main_stat_ = -1;      // /proc/<main>/stat
  int main_children_ = -1;  // /proc/<main>/task/<main>/children
  int root_children_ = -1;  // of the jail's init
  std::string pid_namespace_;
  bool only_main_frozen_ = false;
};

}  // namespace kernelsmith::worker
