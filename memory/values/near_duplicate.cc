#include "memory/values/near_duplicate.h"

#include <algorithm>
#include <array>
#include <vector>

#include "absl/strings/ascii.h"

namespace kernelsmith::memory {
namespace {

constexpr size_t kWordsOfShingle = 3;

uint64_t Mixed(uint64_t value) {  // splitmix64's finaliser
  value ^= value >> 30;
  value *= 0xbf58476d1ce4e5b9;
  value ^= value >> 27;
  value *= 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

uint64_t HashOfText(absl::string_view text) {  // FNV-1a, mixed
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return Mixed(hash);
}

bool IsWordByte(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool IsBeyondAscii(char c) { return static_cast<unsigned char>(c) >= 0x80; }
bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Calls `take` for every word in order, in lower case.
template <typename Take>
void ForEachWord(absl::string_view text, const Take& take) {
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin + 1;
    if (IsWordByte(text[begin])) {
      while (end < text.size() && IsWordByte(text[end])) ++end;
      take(absl::AsciiStrToLower(text.substr(begin, end - begin)));
    } else if (IsBeyondAscii(text[begin])) {
      while (end < text.size() && IsContinuation(text[end])) ++end;
      take(std::string(text.substr(begin, end - begin)));
    }
    begin = end;
  }
}

}  // namespace

std::string NormalisedText(absl::string_view text) {
  std::string out;
  ForEachWord(text, [&out](const std::string& word) {
    if (!out.empty()) out += ' ';
    out += word;
  });
  return out;
}

std::string TextSignature(absl::string_view text) {
  std::vector<uint64_t> words;
  uint64_t whole = Mixed(0);
  ForEachWord(text, [&](const std::string& word) {
    words.push_back(HashOfText(word));
    whole = Mixed(whole * 31 + words.back());
  });
  std::array<uint64_t, kSignatureMinhashes> least;
  least.fill(~uint64_t{0});
  const size_t shingles = words.size() < kWordsOfShingle ? 1 : words.size() - kWordsOfShingle + 1;
  for (size_t i = 0; i < shingles; ++i) {
    uint64_t shingle = 0;
    for (size_t j = i; j < std::min(words.size(), i + kWordsOfShingle); ++j) shingle = Mixed(shingle * 31 + words[j]);
    for (size_t k = 0; k < kSignatureMinhashes; ++k) {
      least[k] = std::min(least[k], (shingle ^ Mixed(k + 1)) * 0x9e3779b97f4a7c15);
    }
  }
  std::string signature;
  for (size_t i = 0; i < kSignatureHash; ++i) signature += static_cast<char>(whole >> (8 * i));
  for (const uint64_t hash : least) signature += static_cast<char>(Mixed(hash));
  return signature;
}

bool SameText(absl::string_view a, absl::string_view b) {
  return a.substr(0, kSignatureHash) == b.substr(0, kSignatureHash);
}

double SharedShare(absl::string_view a, absl::string_view b) {
  int equal = 0;
  for (size_t i = kSignatureHash; i < kSignatureSize; ++i) equal += a[i] == b[i] ? 1 : 0;
  return static_cast<double>(equal) / static_cast<double>(kSignatureMinhashes);
}

bool IsNearDuplicate(absl::string_view a, absl::string_view b) {
  return SameText(a, b) || SharedShare(a, b) >= kNearDuplicateShare;
}

}  // namespace kernelsmith::memory
