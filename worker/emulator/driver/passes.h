// Command lines of clang's compiler proper (-cc1) for the two passes over a kernel source. The driver does not know
// where headers of the C++ library lie or what an option means: clang is asked for the line it would use for the file
// as plain C++ (clang-16 -###), and that line is changed here.
//
// Example:
//   ClangLine({"clang-16", "-###", ..., "-x", "c++", "-c", "k.asc"}) printed a line; then
//   StatusOr<vector<string>> plain = PlainLine(printed);
//   DevicePass(*plain, {...}), HostPass(*plain, {...})
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace kernelsmith::emulator {

struct PassSettings {
  std::string clang;         // program
  std::string input;         // as the author wrote it
  std::string output;        // empty: no object (-fsyntax-only)
  std::string overlay;       // -ivfsoverlay file, or empty
  std::string include_root;  // the toolkit's include folder
  bool auto_sync = true;
  bool sanitizer = false;
};

// What to ask clang; its answer is on standard error.
std::vector<std::string> AskForPlainLine(const std::string& clang, const std::vector<std::string>& options,
                                         const std::string& include_root, const std::string& input);

// The compiler line in clang's answer: its last line, unquoted. INTERNAL when there is none.
absl::StatusOr<std::vector<std::string>> PlainLine(const std::string& answer);

// libgcc.a of the tool chain that `plain` uses, or empty.
std::string SupportLibrary(const std::vector<std::string>& plain);

std::vector<std::string> DevicePass(const std::vector<std::string>& plain, const PassSettings& settings);

// Reads the device image from standard input when there is an output.
std::vector<std::string> HostPass(const std::vector<std::string>& plain, const PassSettings& settings);

}  // namespace kernelsmith::emulator
