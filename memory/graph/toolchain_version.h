// Names and versions of toolchains, as in "cann 8.5.0" or "g++ 12.2.0".
//
//   SplitToolchain("cann 8.5.0");              // {"cann", "8.5.0"}
//   CompareVersions("8.10", "8.5.0");          // > 0: numbers, not text
//   CompareVersions("8.0.RC1", "8.0");         // < 0: a pre-release stands before its release
#pragma once

#include "absl/strings/string_view.h"

namespace kernelsmith::memory {

struct Toolchain {
  absl::string_view name;
  absl::string_view version;  // empty if there is none
};

// The version is the last word if it begins with a digit, or with a "v" and a digit.
Toolchain SplitToolchain(absl::string_view toolchain);

// Below, equal to or above 0 as `a` is older than, equal to or newer than `b`. Runs of digits compare as numbers, of
// any length, runs of letters without case; everything else separates. A missing number counts as 0 ("8.5" is "8.5.0");
// letters stand before a number and before the end.
int CompareVersions(absl::string_view a, absl::string_view b);

}  // namespace kernelsmith::memory
