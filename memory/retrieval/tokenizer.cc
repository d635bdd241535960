#include "memory/retrieval/tokenizer.h"

#include <array>
#include <cstdint>

namespace kernelsmith::memory {
namespace {

// What an ASCII byte is; every byte of a longer sequence counts as a lower-case letter inside a word.
enum class CharClass : uint8_t { kSeparator, kLower, kUpper, kDigit, kUnderscore, kForeign };

constexpr std::array<CharClass, 256> MakeClasses() {
  std::array<CharClass, 256> classes{};
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = CharClass::kLower;
  for (int c = 'A'; c <= 'Z'; ++c) classes[c] = CharClass::kUpper;
  for (int c = '0'; c <= '9'; ++c) classes[c] = CharClass::kDigit;
  classes['_'] = CharClass::kUnderscore;
  for (int c = 0x80; c <= 0xff; ++c) classes[c] = CharClass::kForeign;
  return classes;
}

constexpr std::array<CharClass, 256> kClasses = MakeClasses();

CharClass ClassAt(absl::string_view text, size_t i) { return kClasses[static_cast<unsigned char>(text[i])]; }

// Length of the UTF-8 sequence at `i` and its code point; length 0 if it is none.
struct CodePoint {
  size_t length = 0;
  uint32_t value = 0;
};

// REQUIRES: the byte at `i` is not ASCII. Overlong forms, surrogates and what lies beyond U+10FFFF are no UTF-8.
CodePoint Decode(absl::string_view text, size_t i) {
  const auto lead = static_cast<unsigned char>(text[i]);
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() - i < length) return {};
  uint32_t value = lead & (0xff >> (length + 1));
  for (size_t k = 1; k < length; ++k) {
    const auto next = static_cast<unsigned char>(text[i + k]);
    if ((next & 0xc0) != 0x80) return {};
    value = value << 6 | (next & 0x3f);
  }
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kSmallest[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return {};
  return {length, value};
}

bool IsIdeograph(uint32_t c) {
  return (c >= 0x4e00 && c <= 0x9fff) || (c >= 0x3040 && c <= 0x30ff) || (c >= 0x3400 && c <= 0x4dbf) ||
         (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff) || (c >= 0x20000 && c <= 0x3134f);
}

// Punctuation and symbols outside ASCII, full-width forms and pictographs included; they separate words.
bool IsForeignPunctuation(uint32_t c) {
  return (c >= 0x80 && c <= 0xbf) || c == 0xd7 || c == 0xf7 || (c >= 0x2000 && c <= 0x2bff) ||
         (c >= 0x3000 && c <= 0x303f) || (c >= 0xfe10 && c <= 0xfe6f) || (c >= 0xfeff && c <= 0xff0f) ||
         (c >= 0xff1a && c <= 0xff20) || (c >= 0xff3b && c <= 0xff40) || (c >= 0xff5b && c <= 0xff65) ||
         (c >= 0xffe0 && c <= 0xffff) || (c >= 0x1f000 && c <= 0x1faff);
}

enum class Kind { kSeparator, kWord, kIdeograph };

Kind KindOf(const CodePoint& point) {
  if (point.length == 0) return Kind::kSeparator;
  if (IsIdeograph(point.value)) return Kind::kIdeograph;
  return IsForeignPunctuation(point.value) ? Kind::kSeparator : Kind::kWord;
}

// Length of a connector between two identifiers that belong together: "::", "->", "." or "-".
size_t ConnectorLength(absl::string_view text, size_t i) {
  const char c = text[i];
  if (c != ':' && c != '-' && c != '.') return 0;
  const char next = i + 1 < text.size() ? text[i + 1] : ' ';
  if (c == ':') return next == ':' ? 2 : 0;
  return c == '-' && next == '>' ? 2 : 1;
}

// Walks over one text. Offsets are the same in the text, which tells upper from lower case, and in its lower-cased
// copy, which the terms are views of.
class Scanner {
 public:
  Scanner(absl::string_view text, TermBuffer& buffer) : text_(text), lowered_(buffer.lowered), terms_(buffer.terms) {}

  void Run() {
    for (size_t i = 0; i < text_.size();) {
      const CharClass c = ClassAt(text_, i);
      if (c == CharClass::kSeparator) {
        ++i;
      } else if (c != CharClass::kForeign) {
        i = AddCompound(i);
      } else {
        i = AddForeign(i);
      }
    }
  }

 private:
  void Add(size_t begin, size_t end) {
    if (end > begin && end - begin <= kLongestTerm) terms_.push_back(lowered_.substr(begin, end - begin));
  }

  size_t AddForeign(size_t i) {
    const CodePoint point = Decode(text_, i);
    switch (KindOf(point)) {
      case Kind::kWord:
        return AddCompound(i);
      case Kind::kIdeograph:
        return AddIdeographs(i, i + point.length);
      case Kind::kSeparator:
        break;
    }
    return i + (point.length == 0 ? 1 : point.length);
  }

  // End of the run of word characters that starts at `i`.
  size_t WordEnd(size_t i) const {
    while (i < text_.size()) {
      const CharClass c = ClassAt(text_, i);
      if (c == CharClass::kSeparator) break;
      size_t length = 1;
      if (c == CharClass::kForeign) {
        const CodePoint point = Decode(text_, i);
        if (KindOf(point) != Kind::kWord) break;
        length = point.length;
      }
      i += length;
    }
    return i;
  }

  // One word or several that connectors join: the compound whole, then each word. Returns the end.
  size_t AddCompound(size_t begin) {
    size_t end = WordEnd(begin);
    size_t next = NextWord(end);
    if (next == end) {
      AddIdentifier(begin, end);
      return end;
    }
    const size_t place = terms_.size();
    terms_.emplace_back();  // of the compound, whose end is not known yet
    size_t word = begin;
    while (true) {
      AddIdentifier(word, end);
      if (next == end) break;
      word = next;
      end = WordEnd(word);
      next = NextWord(end);
    }
    if (end - begin <= kLongestTerm) {
      terms_[place] = lowered_.substr(begin, end - begin);
    } else {
      terms_.erase(terms_.begin() + static_cast<std::ptrdiff_t>(place));
    }
    return end;
  }

  // Where the word begins that a connector at `end` joins; `end` if there is none.
  size_t NextWord(size_t end) const {
    if (end >= text_.size()) return end;
    const size_t connector = ConnectorLength(text_, end);
    if (connector == 0) return end;
    const size_t begin = end + connector;
    if (begin >= text_.size()) return end;
    const CharClass c = ClassAt(text_, begin);
    if (c == CharClass::kSeparator) return end;
    if (c == CharClass::kForeign && KindOf(Decode(text_, begin)) != Kind::kWord) return end;
    return begin;
  }

  // Class of a byte inside a word: a longer sequence counts as lower-case letters.
  CharClass ClassInWord(size_t i) const {
    const CharClass c = ClassAt(text_, i);
    return c == CharClass::kForeign ? CharClass::kLower : c;
  }

  // True if a part of an identifier begins at `i`: fooBar, foo9, 9foo, HTTPServer (before "Server").
  bool PartBegins(CharClass before, CharClass here, size_t i, size_t end) const {
    if (before != here) return !(before == CharClass::kUpper && here == CharClass::kLower);
    return here == CharClass::kUpper && i + 1 < end && ClassInWord(i + 1) == CharClass::kLower;
  }

  // The identifier whole, then its parts if it has several.
  void AddIdentifier(size_t begin, size_t end) {
    Add(begin, end);
    CharClass before = ClassInWord(begin);
    size_t part = before == CharClass::kUnderscore ? begin + 1 : begin;
    for (size_t i = begin + 1; i < end; ++i) {
      const CharClass here = ClassInWord(i);
      if (here == CharClass::kUnderscore) {
        Add(part, i);
        part = i + 1;
      } else if (i > part && PartBegins(before, here, i, end)) {
        Add(part, i);
        part = i;
      }
      before = here;
    }
    if (part != begin) Add(part, end);
  }

  // Bigrams of a run of ideographs, the first of which ends at `first_end`. Returns the end.
  size_t AddIdeographs(size_t begin, size_t first_end) {
    size_t before = begin;
    size_t end = first_end;
    while (end < text_.size() && ClassAt(text_, end) == CharClass::kForeign) {
      const CodePoint point = Decode(text_, end);
      if (KindOf(point) != Kind::kIdeograph) break;
      Add(before, end + point.length);
      before = end;
      end += point.length;
    }
    if (end == first_end) Add(begin, end);
    return end;
  }

  const absl::string_view text_;
  const absl::string_view lowered_;
  std::vector<absl::string_view>& terms_;
};

}  // namespace

void Tokenize(absl::string_view text, TermBuffer& buffer) {
  buffer.terms.clear();
  buffer.lowered.resize(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    buffer.lowered[i] = static_cast<char>(c | ((c >= 'A' && c <= 'Z') ? 0x20 : 0));
  }
  Scanner(text, buffer).Run();
}

std::vector<std::string> Tokenize(absl::string_view text) {
  TermBuffer buffer;
  Tokenize(text, buffer);
  return {buffer.terms.begin(), buffer.terms.end()};
}

}  // namespace kernelsmith::memory
