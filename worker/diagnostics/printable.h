// Bytes of unknown origin as text that can be stored in a protobuf string and shown to a person. Pure.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace kernelsmith::worker {

// Keeps valid UTF-8, newline and tab; writes every other control character and every stray byte as \xNN. At most
// `max_bytes` of result, cut at a character, then "…".
std::string Printable(absl::string_view bytes, size_t max_bytes);

}  // namespace kernelsmith::worker
