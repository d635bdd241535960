// Values of an enumeration as people write them: "best-practice" for BEST_PRACTICE.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/descriptor.h"

namespace kernelsmith::client {

// INVALID_ARGUMENT names the option, the value and the known ones. The first value, UNSPECIFIED, is not one of them.
absl::StatusOr<int> ParseEnum(const google::protobuf::EnumDescriptor& type, absl::string_view value,
                              absl::string_view option);

// "case, journal, best-practice": for help texts.
std::string EnumValues(const google::protobuf::EnumDescriptor& type);

}  // namespace kernelsmith::client
