#include "memory/context/token_counter.h"

#include "absl/strings/ascii.h"

namespace kernelsmith::memory {
namespace {

enum class Class { kLower, kUpper, kDigit, kBlank, kBreak, kPunctuation, kForeign };

Class ClassOf(unsigned char c) {
  if (c >= 0x80) return Class::kForeign;
  if (absl::ascii_islower(c)) return Class::kLower;
  if (absl::ascii_isupper(c)) return Class::kUpper;
  if (absl::ascii_isdigit(c)) return Class::kDigit;
  if (c == ' ' || c == '\t') return Class::kBlank;
  return c == '\n' || c == '\r' ? Class::kBreak : Class::kPunctuation;
}

// Tokens of a run of `length` characters of one class.
int64_t TokensOfRun(Class run, int64_t length) {
  switch (run) {
    case Class::kLower:
      return (length + 2) / 3;
    case Class::kUpper:
    case Class::kForeign:
      return (length + 1) / 2;
    case Class::kBlank:
      return length == 1 ? 0 : (length + 3) / 4;  // a single blank belongs to the word behind it
    case Class::kDigit:
    case Class::kBreak:
    case Class::kPunctuation:
      return length;
  }
  return length;
}

}  // namespace

int64_t ConservativeTokenCounter::Count(absl::string_view text) const {
  int64_t tokens = 0;
  for (size_t i = 0; i < text.size();) {
    const Class run = ClassOf(static_cast<unsigned char>(text[i]));
    size_t end = i + 1;
    while (end < text.size() && ClassOf(static_cast<unsigned char>(text[end])) == run) ++end;
    tokens += TokensOfRun(run, static_cast<int64_t>(end - i));
    i = end;
  }
  return tokens;
}

}  // namespace kernelsmith::memory
