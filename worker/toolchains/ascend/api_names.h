// Names of Ascend C calls and types, as CANN's public API documentation lists them. They tell a call that a toolkit
// lacks from one that nobody ever had. Pure.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace kernelsmith::worker {

bool IsDocumentedCall(absl::string_view name);

// The documented call that a compiler's error says is not declared; empty if the error is about something else.
//   "no member named 'Histograms' in namespace 'AscendC'" -> "Histograms"
std::string MissingCall(absl::string_view message);

}  // namespace kernelsmith::worker
