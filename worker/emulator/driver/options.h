// What a command line of bisheng asks for. Options of the Ascend toolchain are understood here; everything else is
// clang's, which judges it when it is asked for its command lines (passes.h).
//
// Example:
//   ParseOptions({"-shared", "-fPIC", "--npu-arch=dav-2201", "k.asc", "-o", "libk.so"})
//     -> action kShared, inputs {k.asc, kAsc}, clang {"-fPIC"}, output "libk.so"
//
// Errors: INVALID_ARGUMENT (what a compiler refuses), UNIMPLEMENTED (a real card could, the emulated one cannot).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace kernelsmith::emulator {

enum class Language : uint8_t {
  kAsc,     // kernels and host code in one file
  kHost,    // C or C++ without kernels
  kLinked,  // objects, archives, shared objects
};

struct Input {
  std::string path;
  Language language = Language::kHost;
  std::string clang_language;  // -x of a host file, empty: by its extension
};

enum class Action : uint8_t {
  kExecutable,
  kShared,
  kArchive,     // -lib
  kObject,      // -c, -dc
  kSyntax,      // -fsyntax-only
  kPreprocess,  // -E, -M, -MM
  kHelp,
  kVersion,
  kPrintTargets,
};

struct Options {
  Action action = Action::kExecutable;
  std::vector<Input> inputs;
  std::string output;               // empty: the action's default
  std::vector<std::string> clang;   // options for compiling, in order
  std::vector<std::string> linker;  // options and inputs for linking, in order; inputs of kind kAsc and kHost stand as
                                    // "\1<index>" where their objects go
  std::vector<std::string> notes;   // one line each, for the author
  bool auto_sync = true;
  bool sanitizer = false;
  bool relocatable = false;  // -dc: device code stays open until objects are linked
  bool verbose = false;
};

absl::StatusOr<Options> ParseOptions(const std::vector<std::string>& arguments);

// The text of --help.
std::string HelpText();

}  // namespace kernelsmith::emulator
