// kernelsmith-memory: serves the experience memory until SIGTERM or SIGINT.
#include <CLI/CLI.hpp>
#include <iostream>

#include "common/clock.h"
#include "common/config.h"
#include "common/grpc/server.h"
#include "common/logging.h"
#include "common/metrics.h"
#include "common/shutdown.h"
#include "common/status.h"
#include "common/version.h"
#include "memory/service/experience_service.h"

namespace kernelsmith::memory {
namespace {

absl::Status Serve(const config::v1::MemoryConfig& config) {
  if (config.data_dir().empty()) return common::InvalidField("data_dir", "is empty; name a folder for the fact log");
  RETURN_IF_ERROR(common::SetUpLogging("kernelsmith-memory", config.observability()));
  ASSIGN_OR_RETURN(const std::unique_ptr<common::Metrics> metrics, common::Metrics::Start(config.observability()));
  MemoryMetrics memory_metrics(*metrics);
  ASSIGN_OR_RETURN(const std::unique_ptr<Experience> experience,
                   Experience::Open(config.data_dir(), common::Clock::Real(), memory_metrics));
  ExperienceService service(*experience, memory_metrics);
  ASSIGN_OR_RETURN(
      const std::unique_ptr<common::GrpcServer> server,
      common::GrpcServer::Start({.listen = config.listen(), .method_roles = MemoryRoles(), .metrics = metrics.get()},
                                {&service}));
  common::LogInfo("memory.ready", {{"address", server->address()}, {"data_dir", config.data_dir()}});
  common::WaitForShutdownSignal();
  common::LogInfo("memory.draining");
  server->Shutdown(absl::Seconds(5));
  return absl::OkStatus();
}

}  // namespace
}  // namespace kernelsmith::memory

int main(int argc, char** argv) {
  kernelsmith::common::BlockShutdownSignals();
  kernelsmith::config::v1::MemoryConfig flags;
  std::string config_file;
  CLI::App app("Experience memory of Kernelsmith.");
  app.set_version_flag("--version", std::string(kernelsmith::common::Version()));
  app.add_option("--config", config_file, "Configuration: text format of kernelsmith.config.v1.MemoryConfig");
  const auto text_flag = [&app](const char* name, std::string* target, const char* help) {
    app.add_option(name, *target, help);
  };
  text_flag("--data-dir", flags.mutable_data_dir(), "Folder of the fact log; created if missing");
  text_flag("--listen", flags.mutable_listen()->mutable_address(), "host:port to serve on (127.0.0.1:0)");
  text_flag("--port-file", flags.mutable_listen()->mutable_port_file(), "The bound host:port is written here");
  text_flag("--metrics-address", flags.mutable_observability()->mutable_metrics_address(),
            "host:port of /metrics (127.0.0.1:0)");
  text_flag("--metrics-port-file", flags.mutable_observability()->mutable_metrics_port_file(),
            "The bound host:port of /metrics is written here");
  app.footer(
      "Flags override the configuration file. Example:\n"
      "  kernelsmith-memory --data-dir /var/lib/kernelsmith/memory --listen 127.0.0.1:7402");
  CLI11_PARSE(app, argc, argv);

  kernelsmith::config::v1::MemoryConfig config;
  absl::Status status;
  if (!config_file.empty()) status = kernelsmith::common::LoadConfig(config_file, config);
  config.MergeFrom(flags);
  if (status.ok()) status = kernelsmith::memory::Serve(config);
  if (status.ok()) return 0;
  std::cerr << "kernelsmith-memory: " << status.message() << "\n";
  return 1;
}
