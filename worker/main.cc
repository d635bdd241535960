// kernelsmith-worker: serves one card to a coordinator until SIGTERM or SIGINT.
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <vector>

#include "common/config.h"
#include "common/logging.h"
#include "common/metrics.h"
#include "common/shutdown.h"
#include "common/status.h"
#include "common/version.h"
#include "worker/check_card.h"
#include "worker/daemon.h"

namespace kernelsmith::worker {
namespace {

absl::Status Serve(const config::v1::WorkerConfig& config, const config::v1::Listen& listen) {
  RETURN_IF_ERROR(common::SetUpLogging("kernelsmith-worker", config.observability()));
  ASSIGN_OR_RETURN(const std::unique_ptr<common::Metrics> metrics, common::Metrics::Start(config.observability()));
  const auto end = [] { kill(getpid(), SIGTERM); };  // leave the wait below
  ASSIGN_OR_RETURN(const std::unique_ptr<Daemon> daemon, Daemon::Start(config, listen, *metrics, end));
  common::WaitForShutdownSignal();
  common::LogInfo("worker.draining");
  return daemon->Drain();
}

}  // namespace
}  // namespace kernelsmith::worker

int main(int argc, char** argv) {
  kernelsmith::common::BlockShutdownSignals();
  kernelsmith::config::v1::WorkerConfig flags;
  kernelsmith::config::v1::Listen listen;
  std::string config_file;
  CLI::App app("Worker daemon of Kernelsmith: serves one card to a coordinator.");
  app.set_version_flag("--version", std::string(kernelsmith::common::Version()));
  const auto text = [&app](const char* name, std::string* target, const char* help) {
    app.add_option(name, *target, help);
  };
  text("--config", &config_file, "Configuration: text format of kernelsmith.config.v1.WorkerConfig");
  text("--coordinator", flags.mutable_coordinator()->mutable_address(), "host:port of the coordinator");
  text("--data-dir", flags.mutable_data_dir(), "Folder of caches; created if missing");
  text("--card-id", flags.mutable_card_id(), "Name of the card on this host (cpu0)");
  text("--card-kind", flags.mutable_card_kind(), "What the card is: cpu (default) or ascend");
  text("--cann-root", flags.mutable_cann_root(), "Root of CANN, real or emulated (ASCEND_HOME_PATH)");
  text("--emulated-soc", flags.mutable_emulated_soc(), "SoC of an emulated card (Ascend910B3)");
  std::vector<int> devices;
  app.add_option("--devices", devices, "Device ids of an ascend card's dies, the one used first (0)");
  bool check = false;
  app.add_flag("--check", check, "Try the card with a kernel of its own, print the steps as JSON, and exit");
  text("--lock-dir", flags.mutable_lock_dir(), "Folder of host-wide locks; the same for every worker of this host");
  text("--worker-id", flags.mutable_worker_id(), "Name of this worker, stable over restarts (host name and card)");
  text("--listen", listen.mutable_address(), "host:port of health and reflection (127.0.0.1:0)");
  text("--port-file", listen.mutable_port_file(), "The bound host:port is written here");
  text("--metrics-address", flags.mutable_observability()->mutable_metrics_address(), "host:port of /metrics");
  text("--metrics-port-file", flags.mutable_observability()->mutable_metrics_port_file(),
       "The bound host:port of /metrics is written here");
  app.footer(
      "Flags override the configuration file. Example:\n"
      "  kernelsmith-worker --coordinator 127.0.0.1:7401 --data-dir /var/lib/kernelsmith/worker0 --card-id cpu0");
  CLI11_PARSE(app, argc, argv);

  kernelsmith::config::v1::WorkerConfig config;
  absl::Status status;
  if (!config_file.empty()) status = kernelsmith::common::LoadConfig(config_file, config);
  config.MergeFrom(flags);
  if (!devices.empty()) config.mutable_devices()->Assign(devices.begin(), devices.end());
  if (status.ok() && check) return kernelsmith::worker::CheckCard(config, std::cout);
  if (status.ok()) status = kernelsmith::worker::Serve(config, listen);
  if (status.ok()) return 0;
  std::cerr << "kernelsmith-worker: " << status.message() << "\n";
  return 1;
}
