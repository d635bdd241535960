// Messages of clang and compilers made from it, such as CANN's bisheng, as typed diagnostics:
//
//   kernel.asc:12:5: error: no member named 'Foo' in namespace 'AscendC' [-Wflag]
//
// Pure; the text is untrusted.
#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "kernelsmith/v1/evaluation.pb.h"

namespace kernelsmith::worker {

// As ParseGccMessages. What is said twice is kept once: a kernel for two kinds of cores is compiled in two passes.
std::vector<v1::Diagnostic> ParseClangMessages(absl::string_view text, absl::string_view prefix, int limit);

}  // namespace kernelsmith::worker
