#include "client/cli/up/configs.h"

#include "absl/strings/str_cat.h"
#include "common/hash.h"

namespace kernelsmith::client {
namespace {

void SetListen(const UpFolders& folders, const std::string& daemon, const Addresses& addresses,
               config::v1::Listen& listen) {
  listen.set_address(addresses.grpc);
  listen.set_port_file(folders.Port(daemon));
}

void SetMetrics(const UpFolders& folders, const std::string& daemon, const Addresses& addresses,
                config::v1::Observability& observability) {
  observability.set_metrics_address(addresses.metrics);
  observability.set_metrics_port_file(folders.MetricsPort(daemon));
}

// Every worker of the cpu target is a card of its own beside those of other installations, with which it takes turns;
// so its name holds the installation. Other cards are devices: two installations that name the same one collide, and
// the second is told who has it.
// Emulated cards are like those of the cpu target.
std::string CardId(const config::v1::WorkerConfig& config, const UpFolders& folders, int index) {
  const std::string& kind = config.card_kind();
  if (kind != "cpu" && config.emulated_soc().empty()) return absl::StrCat(kind, index);
  return absl::StrCat(kind, index, "-", common::Sha256Hex(folders.data).substr(0, 6));
}

}  // namespace

std::string WorkerName(int index) { return absl::StrCat("worker-", index); }

config::v1::MemoryConfig MemoryConfigFor(const config::v1::MemoryConfig& base, const UpFolders& folders,
                                         const Addresses& addresses) {
  config::v1::MemoryConfig config = base;
  SetListen(folders, "memory", addresses, *config.mutable_listen());
  SetMetrics(folders, "memory", addresses, *config.mutable_observability());
  config.set_data_dir(folders.Data("memory"));
  return config;
}

config::v1::CoordinatorConfig CoordinatorConfigFor(const config::v1::CoordinatorConfig& base, const UpFolders& folders,
                                                   const Addresses& addresses, const std::string& memory_address) {
  config::v1::CoordinatorConfig config = base;
  SetListen(folders, "coordinator", addresses, *config.mutable_listen());
  SetMetrics(folders, "coordinator", addresses, *config.mutable_observability());
  config.set_data_dir(folders.Data("coordinator"));
  config.mutable_memory()->set_address(memory_address);
  return config;
}

config::v1::WorkerConfig WorkerConfigFor(const config::v1::WorkerConfig& base, const UpFolders& folders,
                                         const Addresses& addresses, const std::string& coordinator_address,
                                         int index) {
  const std::string name = WorkerName(index);
  config::v1::WorkerConfig config = base;
  config.mutable_coordinator()->set_address(coordinator_address);
  SetMetrics(folders, name, addresses, *config.mutable_observability());
  config.set_data_dir(folders.Data(name));
  if (config.card_kind().empty()) config.set_card_kind("cpu");
  config.set_card_id(CardId(config, folders, index));
  // One real card a worker; a list in the base configuration names the dies of a single one.
  if (config.card_kind() == "ascend" && config.emulated_soc().empty() && config.devices().empty()) {
    config.add_devices(index);
  }
  return config;
}

}  // namespace kernelsmith::client
