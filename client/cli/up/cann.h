// Which CANN the ascend workers of `up` use: the one that the configuration or ASCEND_HOME_PATH names, else the
// emulated one that is built or installed beside the programs.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kernelsmith/config/v1/config.pb.h"

namespace kernelsmith::client {

// Root of the emulated CANN for programs in this folder: ../emulated-cann in a build tree,
// ../libexec/kernelsmith/emulated-cann when installed. NOT_FOUND if neither is there.
absl::StatusOr<std::string> FindEmulatedCann(const std::string& programs);

// Fills cann_root and, for an emulated card, emulated_soc, unless they are set. FAILED_PRECONDITION if there is no
// CANN.
absl::Status ChooseCann(const std::string& programs, config::v1::WorkerConfig& worker);

}  // namespace kernelsmith::client
