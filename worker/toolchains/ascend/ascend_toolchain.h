// The ascend target's toolchain: kernel.asc by CANN's own compiler, with a launcher that the worker makes; plan.cpp by
// g++. Both in jails, both cached by content. Real and emulated CANN are one code path.
//
// Example:
//   auto toolchain = *MakeAscendToolchain({.cache_dir = dir, .root = root, .soc = "Ascend910B3", .label =
//   "cann 9.1.0"});
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "worker/toolchains/ascend/cann_root.h"
#include "worker/toolchains/toolchain.h"

namespace kernelsmith::worker {

struct AscendToolchainOptions {
  std::string cache_dir;                   // created if missing
  int64_t cache_bytes = int64_t{1} << 30;  // oldest use is evicted first
  CannRoot root;
  std::string soc;    // as the card names itself
  std::string label;  // for Target.toolchain
};

// Compiles an empty kernel: FAILED_PRECONDITION with the compiler's words if that does not work; UNIMPLEMENTED for an
// unknown SoC.
absl::StatusOr<std::unique_ptr<Toolchain>> MakeAscendToolchain(const AscendToolchainOptions& options);

}  // namespace kernelsmith::worker
