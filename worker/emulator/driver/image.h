// What a device image may hold. It runs inside the executor, which gives it a fresh stack and nothing else: no writable
// globals, no initialisers, and no foreign functions but those of the operations library and the compiler's own.
#pragma once

#include <string>
#include <vector>

namespace kernelsmith::emulator {

// What is wrong with the bytes of an image (an ELF shared object), one text each that names the symbol in C++ form;
// those that a real card would take begin with UNSUPPORTED.
std::vector<std::string> ImageProblems(const std::string& image);

}  // namespace kernelsmith::emulator
