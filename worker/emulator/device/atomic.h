// Read-modify-write of global memory, as MTE3 does it while an atomic mode is on.
#pragma once

#include <cstddef>

#include "worker/emulator/device/core.h"

namespace kernelsmith::emulator {

// Whether the mode exists for the type: int8, int16, int32, half, bfloat16, float.
bool AtomicSupports(Element element);
// to[i] = operation(to[i], from[i]) for every element of `bytes`. Floating results are rounded to the type after each
// operation. REQUIRES: AtomicSupports(element).
void ApplyAtomic(Core::Atomic operation, Element element, std::byte* to, const std::byte* from, size_t bytes);

}  // namespace kernelsmith::emulator
