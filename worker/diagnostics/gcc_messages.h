// GCC's messages (-fdiagnostics-format=json) and the linker's lines as typed diagnostics. Pure; the text is untrusted.
//
// Example:
//   for (const v1::Diagnostic& d : ParseGccMessages(report.errors, "src/", 50)) ...
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "kernelsmith/v1/evaluation.pb.h"

namespace kernelsmith::worker {

// At most `limit`, errors before warnings before notes, else in the order printed. `prefix` is cut from file names.
// Lines that are not JSON (linker, driver) become diagnostics when they speak of an error; text is made valid UTF-8.
std::vector<v1::Diagnostic> ParseGccMessages(absl::string_view text, absl::string_view prefix, int limit);

}  // namespace kernelsmith::worker
