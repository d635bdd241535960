// The headers that candidates are compiled against, as they were when this library was built.
#pragma once

#include <string>

namespace kernelsmith::worker {

extern const std::string& kEmbeddedAbi;      // kernelsmith/kernel_abi.h
extern const std::string& kEmbeddedPlanAbi;  // kernelsmith/plan_abi.h

}  // namespace kernelsmith::worker
