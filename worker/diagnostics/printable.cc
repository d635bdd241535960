#include "worker/diagnostics/printable.h"

#include "absl/strings/str_format.h"

namespace kernelsmith::worker {
namespace {

// Length of the valid UTF-8 sequence at the start of bytes; 0 if there is none (RFC 3629, table of well-formed
// sequences).
size_t SequenceLength(absl::string_view bytes) {
  const auto at = [&bytes](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char lead = at(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xc2 && lead <= 0xdf   ? 2
                        : lead >= 0xe0 && lead <= 0xef ? 3
                        : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                       : 0;
  if (length == 0 || bytes.size() < length) return 0;
  const unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (at(1) < low || at(1) > high) return 0;
  for (size_t i = 2; i < length; ++i) {
    if (at(i) < 0x80 || at(i) > 0xbf) return 0;
  }
  return length;
}

}  // namespace

std::string Printable(absl::string_view bytes, size_t max_bytes) {
  std::string text;
  while (!bytes.empty()) {
    size_t length = SequenceLength(bytes);
    std::string piece;
    const unsigned char first = static_cast<unsigned char>(bytes[0]);
    const bool control = length == 1 && (first < 0x20 || first == 0x7f) && first != '\n' && first != '\t';
    if (length == 0 || control) {
      piece = absl::StrFormat("\\x%02x", first);
      length = 1;
    } else {
      piece = std::string(bytes.substr(0, length));
    }
    if (text.size() + piece.size() > max_bytes) return text + "…";
    text += piece;
    bytes.remove_prefix(length);
  }
  return text;
}

}  // namespace kernelsmith::worker
