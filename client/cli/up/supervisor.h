// Keeps a set of daemons running: reaps, restarts with backoff on the same ports, stops in reverse order, and leaves no
// process behind, not even one that a dead daemon orphaned.
//
//   Supervisor supervisor(out);
//   supervisor.Add(...);  supervisor.StartNext(...)
//   while (!stop) supervisor.Tick();
//   supervisor.StopAll(grace, hurry);
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/random/random.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/cli/up/daemon.h"

namespace kernelsmith::client {

// Not thread-safe: children die with the thread that started them, so one thread does everything.
class Supervisor {
 public:
  // `say` receives one line for every death and restart. Orphans of this process's descendants become its children.
  explicit Supervisor(std::function<void(const std::string&)> say);
  // Kills whatever still runs.
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // Starts another daemon and waits until `ready` says OK, asking again while it says UNAVAILABLE. FAILED_PRECONDITION
  // with the end of its log if it dies first, DEADLINE_EXCEEDED after the timeout, CANCELLED when `stopped` says so.
  absl::Status StartDaemon(DaemonSpec spec, const UpFolders& folders, absl::Duration timeout,
                           const std::function<absl::Status(const Daemon&)>& ready,
                           const std::function<bool()>& stopped);

  // Starts a command in the foreground with these variables.
  absl::Status StartCommand(const std::vector<std::string>& arguments,
                            const std::map<std::string, std::string>& environment);
  // Its wait status once it has ended.
  std::optional<int> command_status() const { return command_status_; }
  void SignalCommand(int number) const;

  // Reaps what died and starts what is due again.
  void Tick();

  // SIGTERM to one daemon after the other, last started first; SIGKILL after the grace, or when `hurry` says so; then
  // everything that is left.
  void StopAll(absl::Duration grace, const std::function<bool()>& hurry);

  const std::vector<std::unique_ptr<Daemon>>& daemons() const { return daemons_; }

 private:
  void Reap();
  void KillOrphans();

  std::function<void(const std::string&)> say_;
  std::vector<std::unique_ptr<Daemon>> daemons_;
  pid_t command_ = 0;
  std::optional<int> command_status_;
  bool stopping_ = false;
  absl::BitGen random_;
};

// Processes whose parent is `parent`, from /proc.
std::vector<pid_t> ChildrenOf(pid_t parent);

}  // namespace kernelsmith::client
