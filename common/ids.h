// Identifiers that are unique without coordination.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace kernelsmith::common {

// 128 random bits as 32 hexadecimal digits.
std::string RandomId();

// "<prefix>-" and 12 hexadecimal digits, short enough to type: for jobs. 48 random bits; the caller checks for
// collisions.
std::string ShortId(absl::string_view prefix);

}  // namespace kernelsmith::common
