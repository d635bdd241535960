// Cutting text without splitting a character.
#pragma once

#include <cstddef>

#include "absl/strings/string_view.h"

namespace kernelsmith::server {

// At most `bytes` of `text`, ending with a whole UTF-8 character.
inline absl::string_view ClipUtf8(absl::string_view text, size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

}  // namespace kernelsmith::server
