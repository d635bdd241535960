// Runs a program whose emulated devices tell of their launches, and hands over each line while it runs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace kernelsmith::emulator {

// Returns when the program and all its devices have ended: its exit code, or 128 plus the signal that ended it.
// NOT_FOUND if it cannot be started, INTERNAL if this machine has no pipes to give.
absl::StatusOr<int> RunWatched(const std::vector<std::string>& program,
                               const std::function<void(const std::string& line)>& take);

}  // namespace kernelsmith::emulator
