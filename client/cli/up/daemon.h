// One supervised daemon: its process, the ports it keeps over restarts, and when to start it again.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "absl/random/bit_gen_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/cli/up/configs.h"
#include "client/cli/up/folders.h"

namespace kernelsmith::client {

struct DaemonSpec {
  std::string name;                                     // "memory"
  std::string program;                                  // path of the executable
  bool serves_grpc = true;                              // workers dial out and have only a metrics port
  std::function<std::string(const Addresses&)> config;  // text for its configuration file
};

// Delay before the next start of a daemon that ran for `lifetime` and had died `quick_deaths` times in a row before
// (short lives only). Pure.
absl::Duration RestartDelay(absl::Duration lifetime, int quick_deaths, absl::BitGenRef random);

class Daemon {
 public:
  Daemon(DaemonSpec spec, UpFolders folders);

  // Writes the configuration and starts the process. REQUIRES: not running.
  absl::Status Start(absl::Time now);
  // Reads the ports that the process bound, once it has written them. True when all are known; they are kept for every
  // later start.
  bool LearnAddresses();
  // The process was reaped. Plans the restart.
  void Ended(int wait_status, absl::Time now, absl::BitGenRef random);
  void Signal(int number) const;  // to the process
  void KillGroup() const;         // whatever is left of its process group, dead leader included

  bool running() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }
  bool due(absl::Time now) const { return pid_ <= 0 && now >= restart_at_; }
  absl::Time restart_at() const { return restart_at_; }
  int restarts() const { return restarts_; }
  const std::string& last_end() const { return last_end_; }
  const std::string& name() const { return spec_.name; }
  bool serves_grpc() const { return spec_.serves_grpc; }
  const Addresses& addresses() const { return addresses_; }
  std::string log_file() const { return folders_.Log(spec_.name); }
  // The end of its log, for messages.
  std::string LogTail() const;

 private:
  DaemonSpec spec_;
  UpFolders folders_;
  Addresses addresses_;
  pid_t pid_ = 0;
  pid_t group_ = 0;
  absl::Time started_at_ = absl::InfinitePast();
  absl::Time restart_at_ = absl::InfinitePast();
  int quick_deaths_ = 0;
  int restarts_ = -1;  // the first start is none
  std::string last_end_;
};

}  // namespace kernelsmith::client
