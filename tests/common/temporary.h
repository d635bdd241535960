// A folder for one test, gone with it.
#pragma once

#include <string>

#include "common/file_io.h"

namespace kernelsmith::common {

inline TemporaryFolder TestFolder() { return TemporaryFolder::Make("kernelsmith-test").value(); }

}  // namespace kernelsmith::common
