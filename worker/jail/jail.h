// Runs one untrusted program: the compiler, a candidate's runner, the reference. Inside, it sees a read-only system,
// its own /tmp, one work folder, no network, and nothing of the host's processes; it dies with the worker.
//
// Example:
//   JailSpec spec;
//   spec.argv = {"/usr/bin/g++", "-c", "kernel.cpp"};
//   spec.work_dir = scratch;            // writable inside as /work, and the current directory
//   auto process = JailedProcess::Start(spec);
//   ExitReport exit = (*process)->Wait(TimeLimit(absl::Seconds(60)));   // kills the whole tree when that is over
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "worker/jail/time_limit.h"

namespace kernelsmith::worker {

struct ResourceLimits {
  int64_t memory_bytes = int64_t{4} << 30;  // address space; exceeding it makes allocation fail
  int64_t file_bytes = int64_t{512} << 20;  // largest file it may write
  int64_t output_bytes = int64_t{1} << 20;  // kept of stdout and stderr each; more ends the process
  int processes = 64;                       // threads included
  int open_files = 256;
  absl::Duration cpu_time = absl::InfiniteDuration();
};

struct JailSpec {
  std::vector<std::string> argv;                               // argv[0] is an absolute path
  std::vector<std::pair<std::string, std::string>> env;        // the whole environment
  std::string work_dir;                                        // host folder mounted writable at /work; empty: none
  std::vector<std::pair<std::string, std::string>> read_only;  // host path, path inside; the system (/usr, /lib, /etc
                                                               // subset, /opt) is always there
  std::vector<std::pair<int, int>> fds;                        // descriptor here, descriptor inside (3 and up); all
                                                               // others are closed
  std::vector<std::string> devices;  // device nodes shown under their own paths, with the right to use them
  ResourceLimits limits;
};

// kStarved: as kDeadline, but the host was too busy to let it run.
enum class ExitKind { kExited, kSignalled, kDeadline, kStarved, kOutputLimit, kMemoryLimit, kKilled };

struct ExitReport {
  ExitKind kind = ExitKind::kExited;
  int code = 0;        // with kExited
  int signal = 0;      // with kSignalled
  std::string output;  // stdout, at most limits.output_bytes, raw bytes
  std::string errors;  // stderr likewise
  absl::Duration wall;
  int64_t peak_rss_bytes = 0;
};

// One running jail. Destruction kills the tree and reaps it. Thread-compatible; Kill may be called from any thread.
class JailedProcess {
 public:
  static absl::StatusOr<std::unique_ptr<JailedProcess>> Start(const JailSpec& spec);
  virtual ~JailedProcess() = default;

  // Drains output until the program ends; at the deadline, or when it prints too much, kills the tree.
  virtual ExitReport Wait(absl::Time deadline) = 0;
  // As above; the tree is killed once the limit is over.
  virtual ExitReport Wait(TimeLimit& limit) = 0;
  ExitReport Wait(TimeLimit&& limit) { return Wait(limit); }
  // True while the program runs. Does not block.
  virtual bool Running() = 0;
  // Stops every thread of every process inside and returns when they no longer run. Microseconds, not milliseconds.
  virtual absl::Status Freeze() = 0;
  virtual absl::Status Thaw() = 0;
  // Threads and processes inside, the jail's own init excluded.
  virtual int CountTasks() = 0;
  // What they have used, and whether they could go on; nothing once the program has ended. `crowded` is not filled.
  virtual ProcessorUse Use() = 0;
  // Kills everything inside and waits until it is gone.
  virtual void Kill() = 0;
};

// What isolation Start really obtains on this host, for example "bwrap(user,pid,net,ipc,uts,cgroup,mount)+rlimits".
// Probed once. "rlimits" if bubblewrap cannot run here.
const std::string& ObtainedIsolation();

}  // namespace kernelsmith::worker
