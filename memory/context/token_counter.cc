#include "memory/context/token_counter.h"

#include <algorithm>
#include <array>

namespace kernelsmith::memory {
namespace {

enum class Class { kLower, kUpper, kDigit, kBlank, kBreak, kPunctuation, kForeign };

constexpr Class ComputedClass(int c) {
  if (c >= 0x80) return Class::kForeign;
  if (c >= 'a' && c <= 'z') return Class::kLower;
  if (c >= 'A' && c <= 'Z') return Class::kUpper;
  if (c >= '0' && c <= '9') return Class::kDigit;
  if (c == ' ' || c == '\t') return Class::kBlank;
  return c == '\n' || c == '\r' ? Class::kBreak : Class::kPunctuation;
}

// Every prompt is counted whole, so a character costs one look-up.
constexpr std::array<Class, 256> kClasses = [] {
  std::array<Class, 256> classes{};
  for (int c = 0; c < 256; ++c) classes[c] = ComputedClass(c);
  return classes;
}();

constexpr std::array<bool, 256> kVowels = [] {
  std::array<bool, 256> vowels{};
  for (const char c : {'a', 'e', 'i', 'o', 'u', 'y', 'A', 'E', 'I', 'O', 'U', 'Y'}) vowels[c] = true;
  return vowels;
}();

Class ClassOf(unsigned char c) { return kClasses[c]; }

bool HasVowel(absl::string_view word) {
  return std::any_of(word.begin(), word.end(), [](char c) { return kVowels[static_cast<unsigned char>(c)]; });
}

int64_t Ceil(int64_t numerator, int64_t denominator) { return (numerator + denominator - 1) / denominator; }

// Tokens of a run of characters of one class; `next` is the class behind it.
int64_t TokensOfRun(Class kind, absl::string_view run, Class next) {
  const auto length = static_cast<int64_t>(run.size());
  const bool word = length <= 3 || HasVowel(run);
  switch (kind) {
    case Class::kLower:
      return word ? Ceil(length, 3) : Ceil(2 * length, 3);
    case Class::kUpper:
      return word ? Ceil(length, 2) : Ceil(3 * length, 4);
    case Class::kForeign:
      return Ceil(3 * length, 4);
    case Class::kBlank:
      if (next == Class::kDigit) return Ceil(length, 4);
      return length == 1 ? 0 : Ceil(length, 4);  // a single blank belongs to the word behind it
    case Class::kDigit:
    case Class::kBreak:
    case Class::kPunctuation:
      return length;
  }
  return length;
}

// Tokens of a run of letters and digits: by class, and in a long one with digits, which is data, at least three for
// four bytes.
int64_t TokensOfWord(absl::string_view word) {
  int64_t tokens = 0;
  bool has_digit = false;
  for (size_t i = 0; i < word.size();) {
    const Class kind = ClassOf(static_cast<unsigned char>(word[i]));
    size_t end = i + 1;
    while (end < word.size() && ClassOf(static_cast<unsigned char>(word[end])) == kind) ++end;
    tokens += TokensOfRun(kind, word.substr(i, end - i), Class::kBreak);
    has_digit = has_digit || kind == Class::kDigit;
    i = end;
  }
  const bool is_data = has_digit && word.size() > 16;
  return is_data ? std::max(tokens, Ceil(3 * static_cast<int64_t>(word.size()), 4)) : tokens;
}

bool IsAlphanumeric(Class kind) { return kind == Class::kLower || kind == Class::kUpper || kind == Class::kDigit; }

}  // namespace

TokenCount ConservativeTokenCounter::Measure(absl::string_view text) const {
  int64_t tokens = 0;
  for (size_t i = 0; i < text.size();) {
    const Class kind = ClassOf(static_cast<unsigned char>(text[i]));
    const auto belongs = [kind](Class next) { return next == kind || (IsAlphanumeric(kind) && IsAlphanumeric(next)); };
    size_t end = i + 1;
    while (end < text.size() && belongs(ClassOf(static_cast<unsigned char>(text[end])))) ++end;
    const absl::string_view run = text.substr(i, end - i);
    const Class next = end < text.size() ? ClassOf(static_cast<unsigned char>(text[end])) : Class::kBreak;
    tokens += IsAlphanumeric(kind) ? TokensOfWord(run) : TokensOfRun(kind, run, next);
    i = end;
  }
  return {.tokens = tokens};
}

const std::string& ConservativeTokenCounter::name() const {
  static const auto* const name = new std::string("conservative");
  return *name;
}

}  // namespace kernelsmith::memory
