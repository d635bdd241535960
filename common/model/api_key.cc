#include "common/model/api_key.h"

#include <algorithm>
#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/file_io.h"
#include "common/status.h"

namespace kernelsmith::common {

absl::StatusOr<std::string> LoadApiKey(const config::v1::ModelEndpoint& endpoint) {
  std::string source;
  std::string key;
  if (!endpoint.api_key_file().empty()) {
    source = absl::StrCat("api_key_file ", endpoint.api_key_file());
    auto text = ReadFile(endpoint.api_key_file());
    if (!text.ok()) {
      return absl::FailedPreconditionError(absl::StrCat(
          "model endpoint '", endpoint.name(), "': ", text.status().message(), "; create it or correct api_key_file"));
    }
    key = *std::move(text);
  } else if (!endpoint.api_key_env().empty()) {
    source = absl::StrCat("environment variable ", endpoint.api_key_env());
    const char* const value = std::getenv(endpoint.api_key_env().c_str());
    key = value == nullptr ? "" : value;
  } else {
    return std::string();
  }
  absl::StripAsciiWhitespace(&key);
  if (key.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("model endpoint '", endpoint.name(), "': ", source, " holds no key; put one there"));
  }
  if (!std::all_of(key.begin(), key.end(), absl::ascii_isgraph)) {
    return absl::FailedPreconditionError(
        absl::StrCat("model endpoint '", endpoint.name(), "': ", source,
                     " holds more than one word of printable ASCII; leave the key alone in it"));
  }
  return key;
}

std::string WithoutKey(absl::string_view text, absl::string_view key) {
  return key.empty() ? std::string(text) : absl::StrReplaceAll(text, {{key, "[key]"}});
}

}  // namespace kernelsmith::common
