// The daemons' configurations as `up` writes them: the user's file, then what `up` decides itself.
#pragma once

#include <string>

#include "client/cli/up/folders.h"
#include "kernelsmith/config/v1/config.pb.h"

namespace kernelsmith::client {

// Where a daemon should listen; port 0 the first time, then the port it got.
struct Addresses {
  std::string grpc = "127.0.0.1:0";
  std::string metrics = "127.0.0.1:0";
};

config::v1::MemoryConfig MemoryConfigFor(const config::v1::MemoryConfig& base, const UpFolders& folders,
                                         const Addresses& addresses);
config::v1::CoordinatorConfig CoordinatorConfigFor(const config::v1::CoordinatorConfig& base, const UpFolders& folders,
                                                   const Addresses& addresses, const std::string& memory_address);
// `index` from 0; the card is "cpu<index>-<hash of the data folder>", of other kinds "<kind><index>". Without a
// lock_dir in the base, workers take the folder that all workers of the host share.
config::v1::WorkerConfig WorkerConfigFor(const config::v1::WorkerConfig& base, const UpFolders& folders,
                                         const Addresses& addresses, const std::string& coordinator_address, int index);

std::string WorkerName(int index);  // "worker-0"

}  // namespace kernelsmith::client
