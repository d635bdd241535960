// Finds the kernels of a .asc file that a plan can launch: extern "C" functions with __global__, defined in the file.
// A lexer, not a compiler: what macros make is not seen. Pure.
//
// Example:
//   std::vector<KernelSignature> kernels = *KernelsOf(source);
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "worker/toolchains/compiled_object.h"

namespace kernelsmith::worker {

// In order of definition. INVALID_ARGUMENT with line and reason: no kernel at all, a parameter that is no pointer, more
// parameters or a longer name than a plan can give, two kernels of one name.
absl::StatusOr<std::vector<KernelSignature>> KernelsOf(absl::string_view source);

}  // namespace kernelsmith::worker
