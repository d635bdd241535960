// The cpu target's toolchain: g++ -std=c++20 -O3 -march=native, one shared object, cached by content.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "worker/toolchains/toolchain.h"

namespace kernelsmith::worker {

struct CpuToolchainOptions {
  std::string cache_dir;                   // created if missing
  int64_t cache_bytes = int64_t{1} << 30;  // oldest use is evicted first
  std::string compiler;                    // absolute path; empty: g++ from the usual places
};

// FAILED_PRECONDITION if there is no compiler.
absl::StatusOr<std::unique_ptr<Toolchain>> MakeCpuToolchain(const CpuToolchainOptions& options);

}  // namespace kernelsmith::worker
