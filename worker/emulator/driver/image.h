// What a device image may hold. It runs inside the executor, which gives it a fresh stack and nothing else: no writable
// globals, no initialisers, and no foreign functions but those of the operations library and the compiler's own.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace kernelsmith::emulator {

// `image`: bytes of an ELF shared object. INVALID_ARGUMENT for an undefined device function, UNIMPLEMENTED for what a
// real card could do, INTERNAL for bytes that are no image; each message names the symbol, in C++ form.
absl::Status CheckImage(const std::string& image);

}  // namespace kernelsmith::emulator
