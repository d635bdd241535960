// Reads a configuration file in protobuf text format. The .proto file is the manual.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "google/protobuf/message.h"

namespace kernelsmith::common {

// Parses `path` into `config`. INVALID_ARGUMENT names file, line, column and the field at fault.
absl::Status LoadConfig(const std::string& path, google::protobuf::Message& config);

// Parses text; `name` stands for the file in messages.
absl::Status ParseConfig(const std::string& text, const std::string& name, google::protobuf::Message& config);

}  // namespace kernelsmith::common
