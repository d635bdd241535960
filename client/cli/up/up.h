// The body of `kernelsmith up`: memory, coordinator and workers on loopback, as long as it runs.
#pragma once

#include <string>
#include <vector>

#include "client/cli/session.h"

namespace kernelsmith::client {

struct UpOptions {
  int workers = 2;
  std::string programs;       // folder of the daemons; empty: beside this program
  std::string memory_config;  // text format files whose values are kept, except for what `up` decides
  std::string coordinator_config;
  std::string worker_config;
  std::string lock_dir;          // empty: the one that all workers of the host share
  std::string card_kind;         // "cpu" or "ascend"; empty: what the worker's configuration says
  std::string isolation;         // empty: what the worker's configuration says
  double start_timeout_s = 180;  // for each daemon
  double stop_grace_s = 10;
  std::vector<std::string> command;  // run it, then stop everything
};

// Returns the exit code: of the command if there is one.
int Up(const UpOptions& options, const Session& session);

}  // namespace kernelsmith::client
