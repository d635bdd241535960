// The text of kernelsmith/kernel_abi.h as it was when this library was built: what candidates are compiled against.
#pragma once

#include <string>

namespace kernelsmith::worker {

extern const std::string& kEmbeddedAbi;

}  // namespace kernelsmith::worker
