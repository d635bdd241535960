// Protobuf messages as JSON: field names as in the .proto files, fields without a value included.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"

namespace kernelsmith::client {

enum class JsonLayout { kOneLine, kIndented };

std::string ToJson(const google::protobuf::Message& message, JsonLayout layout);

}  // namespace kernelsmith::client
