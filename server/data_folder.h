// What a coordinator keeps in its data folder besides the stores: its name in memory and the secret of input seeds.
// Both are made at the first start and never change.
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace kernelsmith::server {

struct DataFolder {
  std::string producer;      // "coordinator-<12 hexadecimal digits>"
  std::string input_secret;  // 32 bytes

  // DATA_LOSS if a file does not hold what it should.
  static absl::StatusOr<DataFolder> Open(const std::string& path);
};

}  // namespace kernelsmith::server
