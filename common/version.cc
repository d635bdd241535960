#include "common/version.h"

namespace kernelsmith::common {

absl::string_view Version() { return "0.1.0"; }

}  // namespace kernelsmith::common
