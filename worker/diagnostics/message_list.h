// What the parsers of all compilers share: lines of linkers, and the order of the result. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"
#include "kernelsmith/v1/evaluation.pb.h"

namespace kernelsmith::worker {

inline constexpr size_t kMaxDiagnosticText = 2000;

// Adds an ERROR without a place if the line, of a linker or a driver, speaks of one.
void AddLinkerLine(absl::string_view line, std::vector<v1::Diagnostic>& found);

// Errors before warnings before notes, else in the order found; at most `limit`.
std::vector<v1::Diagnostic> ErrorsFirst(std::vector<v1::Diagnostic> found, int limit);

}  // namespace kernelsmith::worker
