// The last step: objects to a program, a shared object or an archive.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "worker/emulator/driver/compile.h"

namespace kernelsmith::emulator {

// `objects[i]` is input i compiled, empty for one that is linked as it is. Returns the linker's exit code. Device code
// of -dc is linked on the way (relocatable.h), except into archives.
absl::StatusOr<int> LinkOutput(const Toolchain& toolchain, const Options& options,
                               const std::vector<std::string>& objects, const std::string& output,
                               const TemporaryFolder& folder);

}  // namespace kernelsmith::emulator
