// The headers of worker/include/kernelsmith as the build found them, so that prompts show what candidates are compiled
// with.
#pragma once

#include "absl/strings/string_view.h"

namespace kernelsmith::server {

// The declarations of kernel_abi.h and of plan_abi.h, without include guards and what surrounds them.
absl::string_view KernelAbiText();
absl::string_view PlanAbiText();

}  // namespace kernelsmith::server
