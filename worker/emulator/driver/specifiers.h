// Makes kernel declarations acceptable to clang, for which a function is a kernel (__global__) or a device function
// (__aicore__) and never both: blanks the __aicore__ that stands among the specifiers of a __global__ function, in any
// order, with other specifiers, comments and lines between them, and behind the author's own macros. The result has the
// same length and lines, so that every diagnostic keeps its place.
//
// Example:
//   extern "C" __global__ __aicore__ void add(GM_ADDR x)   ->   extern "C" __global__            void add(GM_ADDR x)
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kernelsmith::emulator {

// The author's macros that stand for one specifier: `#define DEVICE __aicore__`, `#define ENTRY extern "C" __global__`.
struct SpecifierMacros {
  std::set<std::string, std::less<>> aicore;  // nothing but __aicore__
  std::set<std::string, std::less<>> global;  // object-like, with __global__ and without __aicore__
};

// Adds what `source` defines.
void CollectSpecifierMacros(std::string_view source, SpecifierMacros& macros);

// A kernel as its specifiers name it.
struct KernelName {
  std::string name;
  uint32_t first_line = 0;  // of its specifiers
  uint32_t last_line = 0;   // of its name
};

struct BlankedSource {
  std::string text;
  bool changed = false;
  std::vector<KernelName> kernels;
};

BlankedSource BlankKernelSpecifiers(std::string_view source, const SpecifierMacros& macros);

}  // namespace kernelsmith::emulator
