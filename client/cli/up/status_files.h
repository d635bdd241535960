// What `up` tells others about its daemons: the endpoints file's content, Prometheus targets, a table.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/cli/up/daemon.h"
#include "kernelsmith/client/endpoints.h"

namespace kernelsmith::client {

Endpoints EndpointsOf(const std::vector<std::unique_ptr<Daemon>>& daemons, int supervisor_pid);

// A file_sd_configs document: one target group a daemon, with the label "daemon".
std::string PrometheusTargets(const Endpoints& endpoints);

// Addresses, metrics URLs, log files.
std::string DaemonTable(const Endpoints& endpoints);

}  // namespace kernelsmith::client
