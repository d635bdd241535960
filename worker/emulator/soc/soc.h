// Loads the description of an emulated card and checks every field of it.
//
// Example:
//   absl::StatusOr<v1::Soc> soc = LoadSocByName(root / "data/soc", "Ascend910B3");
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "worker/emulator/soc/soc.pb.h"

namespace kernelsmith::emulator {

// NOT_FOUND if there is no such file, INVALID_ARGUMENT if it is no valid SoC; the message names the file and the field.
absl::StatusOr<v1::Soc> LoadSoc(const std::string& path);

// `folder`/`name`.textproto. NOT_FOUND names the SoCs that there are; INVALID_ARGUMENT if the file is that of another
// SoC.
absl::StatusOr<v1::Soc> LoadSocByName(const std::string& folder, const std::string& name);

// INVALID_ARGUMENT names the first field that is missing, without source or out of range.
absl::Status ValidateSoc(const v1::Soc& soc);

}  // namespace kernelsmith::emulator
