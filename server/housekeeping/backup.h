// An offline copy of a coordinator's data: a checkpoint of the stores, and the artifacts as hard links where the file
// system allows, else as copies. The copy is a data folder that a coordinator can start from.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace kernelsmith::server {

// UNAVAILABLE while a coordinator runs on `data_dir`, ALREADY_EXISTS if `target` exists.
absl::Status BackUp(const std::string& data_dir, const std::string& target);

}  // namespace kernelsmith::server
