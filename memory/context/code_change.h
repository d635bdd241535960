// The difference of two sources as one hunk.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace kernelsmith::memory {

// The lines between the common head and the common tail, with two lines of context on each side: " " unchanged, "-"
// before, "+" after. Empty if the two are equal.
//
//   CodeChange("a\nb\nc\n", "a\nx\nc\n")   // " a\n-b\n+x\n c\n"
std::string CodeChange(absl::string_view before, absl::string_view after);

}  // namespace kernelsmith::memory
