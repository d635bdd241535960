// The program's version, as built.
#pragma once

#include "absl/strings/string_view.h"

namespace kernelsmith::common {

absl::string_view Version();

}  // namespace kernelsmith::common
