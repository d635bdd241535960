#include "client/cli/up/status_files.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "client/cli/text/table.h"

namespace kernelsmith::client {

Endpoints EndpointsOf(const std::vector<std::unique_ptr<Daemon>>& daemons, int supervisor_pid) {
  Endpoints endpoints;
  endpoints.supervisor_pid = supervisor_pid;
  for (const auto& daemon : daemons) {
    const std::string address = daemon->serves_grpc() ? daemon->addresses().grpc : "";
    if (daemon->name() == "coordinator") endpoints.server = address;
    if (daemon->name() == "memory") endpoints.memory = address;
    endpoints.daemons.push_back({.name = daemon->name(),
                                 .address = address,
                                 .metrics_address = daemon->addresses().metrics,
                                 .log_file = daemon->log_file()});
  }
  return endpoints;
}

std::string PrometheusTargets(const Endpoints& endpoints) {
  auto document = nlohmann::ordered_json::array();
  for (const DaemonEndpoint& daemon : endpoints.daemons) {
    document.push_back(
        {{"targets", {daemon.metrics_address}}, {"labels", {{"job", "kernelsmith"}, {"daemon", daemon.name}}}});
  }
  return document.dump(2) + "\n";
}

std::string DaemonTable(const Endpoints& endpoints) {
  Table table({"daemon", "address", "metrics", "log"});
  for (const DaemonEndpoint& daemon : endpoints.daemons) {
    table.Add({daemon.name, daemon.address.empty() ? "dials out" : daemon.address,
               absl::StrCat("http://", daemon.metrics_address, "/metrics"), daemon.log_file});
  }
  return table.Render();
}

}  // namespace kernelsmith::client
