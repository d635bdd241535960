// kernelsmith-coordinator: runs synthesis jobs until SIGTERM or SIGINT, or makes a backup and exits.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "common/config.h"
#include "common/logging.h"
#include "common/metrics.h"
#include "common/shutdown.h"
#include "common/status.h"
#include "common/version.h"
#include "server/coordinator.h"
#include "server/housekeeping/backup.h"

namespace kernelsmith::server {
namespace {

absl::Status Serve(const config::v1::CoordinatorConfig& config) {
  RETURN_IF_ERROR(common::SetUpLogging("kernelsmith-coordinator", config.observability()));
  ASSIGN_OR_RETURN(const std::unique_ptr<common::Metrics> metrics, common::Metrics::Start(config.observability()));
  ASSIGN_OR_RETURN(const std::unique_ptr<Coordinator> coordinator, Coordinator::Start(config, *metrics));
  common::WaitForShutdownSignal();
  common::LogInfo("coordinator.draining");
  coordinator->Drain();
  return absl::OkStatus();
}

}  // namespace
}  // namespace kernelsmith::server

int main(int argc, char** argv) {
  kernelsmith::common::BlockShutdownSignals();
  kernelsmith::config::v1::CoordinatorConfig flags;
  std::string config_file;
  std::string backup;
  CLI::App app("Coordinator of Kernelsmith.");
  app.set_version_flag("--version", std::string(kernelsmith::common::Version()));
  const auto text = [&app](const char* name, std::string* target, const char* help) {
    app.add_option(name, *target, help);
  };
  text("--config", &config_file, "Configuration: text format of kernelsmith.config.v1.CoordinatorConfig");
  text("--data-dir", flags.mutable_data_dir(), "Folder of jobs and artifacts; created if missing");
  text("--listen", flags.mutable_listen()->mutable_address(), "host:port to serve on (127.0.0.1:0)");
  text("--port-file", flags.mutable_listen()->mutable_port_file(), "The bound host:port is written here");
  text("--memory", flags.mutable_memory()->mutable_address(), "host:port of the experience memory");
  text("--metrics-address", flags.mutable_observability()->mutable_metrics_address(), "host:port of /metrics");
  text("--metrics-port-file", flags.mutable_observability()->mutable_metrics_port_file(),
       "The bound host:port of /metrics is written here");
  text("--backup", &backup, "Copy the data folder of a stopped coordinator to this new folder, and exit");
  app.footer(
      "Flags override the configuration file. Example:\n"
      "  kernelsmith-coordinator --data-dir /var/lib/kernelsmith/coordinator --memory 127.0.0.1:7402");
  CLI11_PARSE(app, argc, argv);

  kernelsmith::config::v1::CoordinatorConfig config;
  absl::Status status;
  if (!config_file.empty()) status = kernelsmith::common::LoadConfig(config_file, config);
  config.MergeFrom(flags);
  if (status.ok() && !backup.empty()) {
    status = kernelsmith::server::BackUp(config.data_dir(), backup);
  } else if (status.ok()) {
    status = kernelsmith::server::Serve(config);
  }
  if (status.ok()) return 0;
  std::cerr << "kernelsmith-coordinator: " << status.message() << "\n";
  return 1;
}
