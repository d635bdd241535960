// Checks values that replace constants of a Python file, so that a slip of the keyboard is no failed job.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace kernelsmith::client {

// OK for a number, a string, True, False, None, or a list or tuple of those, as Python's ast.literal_eval takes them.
// INVALID_ARGUMENT says what is wrong.
absl::Status CheckPythonLiteral(absl::string_view text);

}  // namespace kernelsmith::client
