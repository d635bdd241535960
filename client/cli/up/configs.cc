#include "client/cli/up/configs.h"

#include "absl/strings/str_cat.h"

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
  config.set_card_id(absl::StrCat(config.card_kind(), index));
  if (config.lock_dir().empty()) config.set_lock_dir(folders.data + "/locks");
  return config;
}

}  // namespace kernelsmith::client
