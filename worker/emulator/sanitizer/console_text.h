// From what the runtime tells of a launch (runtime/process/findings_output.h) to the lines people and programs expect
// of mssanitizer: "====== ERROR: ...", details, and a line when a kernel is done. Pure.
#pragma once

#include <string>

#include "worker/emulator/sanitizer/options.h"

namespace kernelsmith::emulator {

// Text for one line of JSON, with line ends; empty if it does not concern the options. A line that is no JSON of the
// runtime's gives a warning.
std::string ConsoleText(const std::string& json_line, const SanitizerOptions& options);

}  // namespace kernelsmith::emulator
