// What the host part of a compiled object brings and needs, and whether that is more than an empty kernel's. Reads
// 64-bit ELF files that are untrusted. Pure.
//
// Example:
//   std::string why = ExcessOf(*ReadObjectSymbols(bytes), baseline, kernels);   // empty: nothing
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "worker/toolchains/compiled_object.h"

namespace kernelsmith::worker {

struct ObjectSymbols {
  std::set<std::string> undefined;  // must come from libraries
  std::set<std::string> functions;  // defined here, local ones included where the object names them
  uint64_t initialisers = 0;        // bytes of .preinit_array, .init_array, .fini_array, .ctors and .dtors
};

// INVALID_ARGUMENT if the file is no sound ELF file for 64 bits, or has no section headers.
absl::StatusOr<ObjectSymbols> ReadObjectSymbols(absl::string_view elf);

// One sentence about the first thing that `object` has and `baseline`, an object with the single kernel ks_empty, has
// not; empty if there is none. Functions that stand for `kernels`, as the baseline's do for ks_empty, are no excess.
std::string ExcessOf(const ObjectSymbols& object, const ObjectSymbols& baseline,
                     absl::Span<const KernelSignature> kernels);

}  // namespace kernelsmith::worker
