// The one piece of host code in a compiled candidate: a function that launches its kernels by number, made by the
// worker. Pure.
//
//   extern "C" int ks_launch_kernel(int index, uint32_t blocks, void* stream, void** args);   // 0, or -1: no such
//   kernel
//
// The launches are asynchronous; their errors are the runtime's.
#pragma once

#include <string>

#include "absl/types/span.h"
#include "worker/toolchains/compiled_object.h"

namespace kernelsmith::worker {

// A translation unit that includes `kernel_file` and defines ks_launch_kernel behind it. Every identifier it uses is
// freed from macros of the candidate first.
std::string LauncherText(const std::string& kernel_file, absl::Span<const KernelSignature> kernels);

// An honest kernel that does nothing: what its object needs from outside is what any object may need.
std::string EmptyKernelText();

}  // namespace kernelsmith::worker
