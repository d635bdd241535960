#include "common/coldstart/language.h"

#include <cstdint>

#include "absl/strings/ascii.h"
#include "common/coldstart/markdown.h"

namespace kernelsmith::common {
namespace {

constexpr uint32_t kBad = 0xFFFFFFFF;

// The code point at the front of `text`, which it is taken from; kBad where there is none.
uint32_t TakeCodePoint(absl::string_view& text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const size_t length = lead < 0x80 ? 1 : lead < 0xC0 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF8 ? 4 : 0;
  if (length == 0 || length > text.size()) {
    text.remove_prefix(1);
    return kBad;
  }
  uint32_t point = length == 1 ? lead : lead & (0xFFU >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) {
      text.remove_prefix(1);
      return kBad;
    }
    point = point << 6 | (next & 0x3F);
  }
  text.remove_prefix(length);
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = point >= 0xD800 && point < 0xE000;
  return point < kLeast[length] || surrogate || point > 0x10FFFF ? kBad : point;
}

bool IsChinese(uint32_t point) {
  return (point >= 0x4E00 && point <= 0x9FFF) || (point >= 0x3400 && point <= 0x4DBF) ||
         (point >= 0x20000 && point <= 0x2FFFF);
}

}  // namespace

std::string DetectLanguage(absl::string_view markdown) {
  const std::string prose = ProseOf(markdown);
  absl::string_view rest = prose;
  int64_t chinese = 0;
  int64_t words = 0;
  bool in_word = false;
  while (!rest.empty()) {
    const uint32_t point = TakeCodePoint(rest);
    const bool letter = point < 0x80 && absl::ascii_isalpha(static_cast<unsigned char>(point));
    if (letter && !in_word) ++words;
    in_word = letter || (in_word && (point == '_' || (point >= '0' && point <= '9')));
    if (point != kBad && IsChinese(point)) ++chinese;
  }
  if (chinese > words) return "zh";
  return words > 0 ? "en" : "";
}

bool IsUtf8(absl::string_view text) {
  while (!text.empty()) {
    if (TakeCodePoint(text) == kBad) return false;
  }
  return true;
}

}  // namespace kernelsmith::common
