// worker/include/kernelsmith/kernel_abi.h as the build found it, so that prompts show what candidates are compiled
// with.
#pragma once

#include "absl/strings/string_view.h"

namespace kernelsmith::server {

// The declarations, without the include guard and what surrounds it.
absl::string_view KernelAbiText();

}  // namespace kernelsmith::server
