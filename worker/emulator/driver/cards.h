// Which cards the driver compiles for: names of architectures and SoCs, as CANN's public documentation lists them.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace kernelsmith::emulator {

// OK for the names of the emulated architecture (dav-2201, and dav-c220 of older toolkits). UNIMPLEMENTED for
// architectures that exist, INVALID_ARGUMENT for others.
absl::Status CheckArch(const std::string& arch);

// "Ascend910B3" -> "dav-2201". INVALID_ARGUMENT for an unknown name, UNIMPLEMENTED for a card of another architecture.
absl::StatusOr<std::string> ArchOfSoc(const std::string& soc);

}  // namespace kernelsmith::emulator
