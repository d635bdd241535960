// What CMake made of configs/policies.
#pragma once

#include <vector>

namespace kernelsmith::common {

struct EmbeddedPolicy {
  const char* name;
  const char* text;  // text format of kernelsmith.v1.Policy
};

// The default first.
const std::vector<EmbeddedPolicy>& EmbeddedPolicies();

}  // namespace kernelsmith::common
