// The file in which `kernelsmith up` says where its daemons listen, so that clients on the machine find them without
// being told. docs/cli.md describes the format.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace kernelsmith::client {

struct DaemonEndpoint {
  std::string name;             // "memory", "coordinator", "worker-0"
  std::string address;          // host:port of gRPC; empty for workers, which dial out
  std::string metrics_address;  // host:port of /metrics
  std::string log_file;
};

struct Endpoints {
  std::string server;  // host:port of the coordinator
  std::string memory;  // host:port of the experience memory
  int supervisor_pid = 0;
  std::vector<DaemonEndpoint> daemons;
};

// $XDG_STATE_HOME/kernelsmith, else $HOME/.local/state/kernelsmith, else /tmp/kernelsmith-<uid>.
std::string DefaultDataFolder();

// <data_folder>/endpoints.json
std::string EndpointsPath(const std::string& data_folder);

std::string FormatEndpoints(const Endpoints& endpoints);
// INVALID_ARGUMENT names `name` and the missing field.
absl::StatusOr<Endpoints> ParseEndpoints(absl::string_view text, const std::string& name);

// NOT_FOUND says how to start a server or name one.
absl::StatusOr<Endpoints> ReadEndpoints(const std::string& data_folder);

}  // namespace kernelsmith::client
