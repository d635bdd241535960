// What CANN's mssanitizer prints about a kernel, as findings. The form is that of its published documentation:
//
//   ====== ERROR: illegal write of size 224
//   ======    at 0x12c0c0015000 on GM in add_custom_kernel
//   ======    in block aiv(0) on device 0
//   ======    #0 /path/kernel.cpp:55:9
//
// Pure; the text is untrusted.
#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "kernelsmith/v1/evaluation.pb.h"

namespace kernelsmith::worker {

// One finding for each "ERROR:" (an error) or "WARNING:" (a note) and the lines that belong to it, in order.
std::vector<v1::Finding> ParseSanitizerMessages(absl::string_view text);

}  // namespace kernelsmith::worker
