// Which compiler architecture a SoC needs, and how the product generation is called. Facts from CANN's documentation of
// the compiler's options. Pure.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace kernelsmith::worker {

struct SocArchitecture {
  std::string name;      // for Target.architecture: "ascend-a2", "ascend-a3", "ascend-310p", ...
  std::string npu_arch;  // --npu-arch of CANN from 8.5 on: "dav-2201"
  std::string cce_arch;  // --cce-aicore-arch of older ones: "dav-c220"
};

// `soc` as aclrtGetSocName tells it, for example "Ascend910B3" or "Ascend910_9391". UNIMPLEMENTED for an unknown one.
absl::StatusOr<SocArchitecture> ArchitectureOf(absl::string_view soc);

}  // namespace kernelsmith::worker
