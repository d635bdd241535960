// What the author reads of two compiler passes over one file: every diagnostic once, in the words of Ascend C.
//
// Example:
//   MergeDiagnostics({device_output, host_output}, overlay.rewriting)
#pragma once

#include <string>
#include <vector>

#include "worker/emulator/driver/overlay.h"

namespace kernelsmith::emulator {

// `outputs` are clang's, the first pass's first: a diagnostic whose first line was there before is left out, and so are
// the passes' own counts, for which one count of the whole stands at the end. Source lines are shown as the author
// wrote them; kernels refused for the cores they need are named. Empty when nothing was said.
std::string MergeDiagnostics(const std::vector<std::string>& outputs, const Rewriting& rewriting);

// Of the answer to -###, what concerns the author: lines with errors and warnings, under the driver's name.
std::string DriverComplaints(const std::string& answer);

}  // namespace kernelsmith::emulator
