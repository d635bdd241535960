// API keys: from a file or an environment variable, for as long as one call lasts, and never in a message.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kernelsmith/config/v1/config.pb.h"

namespace kernelsmith::common {

// The key without surrounding white space; empty if the endpoint names none. FAILED_PRECONDITION if the file or
// variable is missing, empty, or holds what no HTTP header can. The message never holds the key.
absl::StatusOr<std::string> LoadApiKey(const config::v1::ModelEndpoint& endpoint);

// `text` with every occurrence of `key` replaced by "[key]".
std::string WithoutKey(absl::string_view text, absl::string_view key);

}  // namespace kernelsmith::common
