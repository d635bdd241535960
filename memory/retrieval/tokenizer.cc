#include "memory/retrieval/tokenizer.h"

#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace kernelsmith::memory {
namespace {

constexpr size_t kLongestTerm = 64;  // bytes

// Length of the UTF-8 sequence at the front of `text` and its code point; length 0 if it is none.
struct CodePoint {
  size_t length = 0;
  uint32_t value = 0;
};

CodePoint Decode(absl::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {1, lead};
  const size_t length = lead >= 0xf0 && lead < 0xf8 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
  if (lead >= 0xf8 || length == 0 || text.size() < length) return {};
  uint32_t value = lead & (0xff >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return {};
    value = value << 6 | (next & 0x3f);
  }
  return {length, value};
}

bool IsIdeograph(uint32_t c) {
  return (c >= 0x3040 && c <= 0x30ff) || (c >= 0x3400 && c <= 0x4dbf) || (c >= 0x4e00 && c <= 0x9fff) ||
         (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff) || (c >= 0x20000 && c <= 0x3134f);
}

// Punctuation and symbols outside ASCII; they separate words.
bool IsForeignPunctuation(uint32_t c) {
  return (c >= 0x80 && c <= 0xbf) || c == 0xd7 || c == 0xf7 || (c >= 0x2000 && c <= 0x2bff) ||
         (c >= 0x3000 && c <= 0x303f) || (c >= 0xff00 && c <= 0xff0f) || (c >= 0xff1a && c <= 0xff20);
}

enum class Kind { kSeparator, kWord, kIdeograph };

Kind KindOf(const CodePoint& point) {
  if (point.length == 0) return Kind::kSeparator;
  if (point.value < 0x80) {
    const auto c = static_cast<unsigned char>(point.value);
    return absl::ascii_isalnum(c) || c == '_' ? Kind::kWord : Kind::kSeparator;
  }
  if (IsIdeograph(point.value)) return Kind::kIdeograph;
  return IsForeignPunctuation(point.value) ? Kind::kSeparator : Kind::kWord;
}

void Add(absl::string_view term, std::vector<std::string>& out) {
  if (term.empty() || term.size() > kLongestTerm) return;
  out.push_back(absl::AsciiStrToLower(term));
}

enum class CharClass { kUpper, kLower, kDigit };

CharClass ClassOf(unsigned char c) {
  if (absl::ascii_isdigit(c)) return CharClass::kDigit;
  return absl::ascii_isupper(c) ? CharClass::kUpper : CharClass::kLower;
}

// True if a part of an identifier begins at `i`: fooBar, foo9, 9foo, HTTPServer (before "Server").
bool PartBegins(absl::string_view word, size_t i) {
  const CharClass before = ClassOf(word[i - 1]);
  const CharClass here = ClassOf(word[i]);
  if (before != here) return !(before == CharClass::kUpper && here == CharClass::kLower);
  return here == CharClass::kUpper && i + 1 < word.size() && ClassOf(word[i + 1]) == CharClass::kLower;
}

// The identifier whole, then its parts if it has several.
void AddIdentifier(absl::string_view word, std::vector<std::string>& out) {
  Add(word, out);
  std::vector<absl::string_view> parts;
  size_t begin = 0;
  const auto close = [&](size_t end) {
    if (end > begin) parts.push_back(word.substr(begin, end - begin));
  };
  for (size_t i = 0; i < word.size(); ++i) {
    if (word[i] == '_') {
      close(i);
      begin = i + 1;
    } else if (i > begin && PartBegins(word, i)) {
      close(i);
      begin = i;
    }
  }
  close(word.size());
  if (parts.size() == 1 && parts[0].size() == word.size()) return;
  for (const absl::string_view part : parts) Add(part, out);
}

// Length of a connector between two identifiers that belong together: "::", ".", "-" or "->".
size_t ConnectorLength(absl::string_view text) {
  for (const absl::string_view connector : {"::", "->", ".", "-"}) {
    if (text.substr(0, connector.size()) == connector) return connector.size();
  }
  return 0;
}

// End of the run of word characters that starts at `begin`.
size_t WordEnd(absl::string_view text, size_t begin) {
  size_t end = begin;
  while (end < text.size()) {
    const CodePoint point = Decode(text.substr(end));
    if (KindOf(point) != Kind::kWord) break;
    end += point.length;
  }
  return end;
}

// One word or several that connectors join: the compound whole, then each word. Returns the end.
size_t AddCompound(absl::string_view text, size_t begin, std::vector<std::string>& out) {
  std::vector<absl::string_view> words;
  size_t end = WordEnd(text, begin);
  words.push_back(text.substr(begin, end - begin));
  while (end < text.size()) {
    const size_t connector = ConnectorLength(text.substr(end));
    if (connector == 0) break;
    const size_t next = WordEnd(text, end + connector);
    if (next == end + connector) break;
    words.push_back(text.substr(end + connector, next - end - connector));
    end = next;
  }
  if (words.size() > 1) Add(text.substr(begin, end - begin), out);
  for (const absl::string_view word : words) AddIdentifier(word, out);
  return end;
}

// Bigrams of a run of ideographs. Returns the end.
size_t AddIdeographs(absl::string_view text, size_t begin, std::vector<std::string>& out) {
  std::vector<absl::string_view> characters;
  size_t end = begin;
  while (end < text.size()) {
    const CodePoint point = Decode(text.substr(end));
    if (KindOf(point) != Kind::kIdeograph) break;
    characters.push_back(text.substr(end, point.length));
    end += point.length;
  }
  if (characters.size() == 1) Add(characters[0], out);
  for (size_t i = 1; i < characters.size(); ++i) Add(absl::StrCat(characters[i - 1], characters[i]), out);
  return end;
}

}  // namespace

std::vector<std::string> Tokenize(absl::string_view text) {
  std::vector<std::string> out;
  for (size_t i = 0; i < text.size();) {
    const CodePoint point = Decode(text.substr(i));
    switch (KindOf(point)) {
      case Kind::kWord:
        i = AddCompound(text, i, out);
        break;
      case Kind::kIdeograph:
        i = AddIdeographs(text, i, out);
        break;
      case Kind::kSeparator:
        i += point.length == 0 ? 1 : point.length;
        break;
    }
  }
  return out;
}

}  // namespace kernelsmith::memory
