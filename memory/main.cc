// kernelsmith-memory: serves the experience memory until SIGTERM or SIGINT.
#include <CLI/CLI.hpp>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "common/clock.h"
#include "common/config.h"
#include "common/grpc/server.h"
#include "common/logging.h"
#include "common/metrics.h"
#include "common/model/text_model.h"
#include "common/shutdown.h"
#include "common/status.h"
#include "common/version.h"
#include "memory/log/store_repair.h"
#include "memory/service/experience_service.h"

namespace kernelsmith::memory {
namespace {

absl::StatusOr<std::unique_ptr<common::TextModel>> LoadModel(const std::string& file) {
  config::v1::ModelEndpoint endpoint;
  RETURN_IF_ERROR(common::LoadConfig(file, endpoint));
  return common::TextModel::Create(endpoint);
}

absl::Status Serve(const config::v1::MemoryConfig& config, const std::string& rule_model_file) {
  if (config.data_dir().empty()) return common::InvalidField("data_dir", "is empty; name a folder for the fact log");
  RETURN_IF_ERROR(common::SetUpLogging("kernelsmith-memory", config.observability()));
  ASSIGN_OR_RETURN(const std::unique_ptr<common::Metrics> metrics, common::Metrics::Start(config.observability()));
  MemoryMetrics memory_metrics(*metrics);
  ASSIGN_OR_RETURN(const std::unique_ptr<Experience> experience,
                   Experience::Open(config, common::Clock::Real(), memory_metrics));
  if (!rule_model_file.empty()) {
    ASSIGN_OR_RETURN(std::unique_ptr<common::TextModel> model, LoadModel(rule_model_file));
    experience->DistilRulesWith(std::move(model));
  }
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

absl::Status Repair(const std::string& damaged, const std::string& target) {
  if (damaged.empty()) return common::InvalidField("--data-dir", "is missing; name the damaged folder");
  ASSIGN_OR_RETURN(const RepairReport report, RepairStore(damaged, target));
  std::cout << RepairText(report);
  return absl::OkStatus();
}

}  // namespace
}  // namespace kernelsmith::memory

int main(int argc, char** argv) {
  kernelsmith::common::BlockShutdownSignals();
  kernelsmith::config::v1::MemoryConfig flags;
  std::string config_file;
  std::string repair_target;
  std::string rule_model_file;
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
  text_flag("--embedder", flags.mutable_embedder()->mutable_kind(),
            "hashed (built in), http (an OpenAI-compatible /v1/embeddings endpoint) or none (words alone)");
  text_flag("--embedder-url", flags.mutable_embedder()->mutable_url(), "Server of the http embedder");
  text_flag("--embedder-model", flags.mutable_embedder()->mutable_model(), "Model of the http embedder");
  const auto number_flag = [&app](const char* name, const std::function<void(int64_t)>& set, const char* help) {
    app.add_option_function<int64_t>(name, set, help)->check(CLI::NonNegativeNumber);
  };
  number_flag(
      "--embedder-dimensions",
      [&flags](int64_t value) { flags.mutable_embedder()->set_dimensions(static_cast<int32_t>(value)); },
      "Dimensions of the http embedder");
  number_flag(
      "--seal-after", [&flags](int64_t value) { flags.set_seal_after_items(value); },
      "Items of a team that gather in memory before they are sealed into a segment (20000)");
  app.add_option("--rule-model", rule_model_file,
                 "A model that writes the texts of rules (residents), in the background: text format of "
                 "kernelsmith.config.v1.ModelEndpoint. Without it, and where it fails, a template writes them");
  app.add_option(
      "--repair", repair_target,
      "Do not serve: copy what is readable of a damaged --data-dir into this new folder and list what is lost");
  app.footer(
      "Flags override the configuration file. Example:\n"
      "  kernelsmith-memory --data-dir /var/lib/kernelsmith/memory --listen 127.0.0.1:7402\n"
      "  kernelsmith-memory --data-dir /var/lib/kernelsmith/memory --repair /var/lib/kernelsmith/memory.repaired");
  CLI11_PARSE(app, argc, argv);

  kernelsmith::config::v1::MemoryConfig config;
  absl::Status status;
  if (!config_file.empty()) status = kernelsmith::common::LoadConfig(config_file, config);
  config.MergeFrom(flags);
  if (status.ok()) {
    status = repair_target.empty() ? kernelsmith::memory::Serve(config, rule_model_file)
                                   : kernelsmith::memory::Repair(config.data_dir(), repair_target);
  }
  if (status.ok()) return 0;
  std::cerr << "kernelsmith-memory: " << status.message() << "\n";
  return 1;
}
