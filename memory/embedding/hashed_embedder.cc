#include "memory/embedding/hashed_embedder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "memory/retrieval/tokenizer.h"

namespace kernelsmith::memory {
namespace {

constexpr size_t kShortestGram = 3;  // characters
constexpr size_t kLongestGram = 5;

// 1024 * (1 + ln n) for n occurrences; from 16 on ln grows by ln 2 with each doubling.
constexpr std::array<int64_t, 16> kTermWeights = {1024, 1734, 2149, 2444, 2672, 2859, 3017, 3153,
                                                  3274, 3382, 3479, 3569, 3651, 3726, 3797, 3863};
constexpr int64_t kDoubling = 710;  // 1024 * ln 2

int64_t TermWeight(size_t occurrences) {
  int64_t weight = 0;
  for (; occurrences > kTermWeights.size(); occurrences /= 2) weight += kDoubling;
  return weight + kTermWeights[occurrences - 1];
}

using Sums = std::array<int64_t, HashedEmbedder::kDimensions>;

// FNV-1a over the characters of a feature, with a last mixing step where it is used.
constexpr uint64_t kHashStart = 0xcbf29ce484222325;
constexpr uint64_t kGramStart = 0x9ae16a3b2f90404f;  // n-grams are no terms, even if spelt alike

uint64_t Extend(uint64_t hash, absl::string_view bytes) {
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash;
}

void AddFeature(uint64_t hash, int64_t weight, Sums& sums) {
  hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93;
  hash ^= hash >> 32;
  const size_t place = (hash & 0xffffffff) * HashedEmbedder::kDimensions >> 32;
  sums[place] += hash >> 63 != 0 ? weight : -weight;
}

// The characters of a term.
void SplitCharacters(absl::string_view term, std::vector<absl::string_view>& out) {
  out.clear();
  for (size_t begin = 0; begin < term.size();) {
    size_t end = begin + 1;
    while (end < term.size() && (static_cast<unsigned char>(term[end]) & 0xc0) == 0x80) ++end;
    out.push_back(term.substr(begin, end - begin));
    begin = end;
  }
}

// Ideographs take three bytes or four; a word that has one such letter has others.
bool IsIdeographic(absl::string_view term) { return static_cast<unsigned char>(term[0]) >= 0xe3; }

void HashGrams(absl::string_view term, std::vector<absl::string_view>& characters, std::vector<uint64_t>& out) {
  out.clear();
  SplitCharacters(term, characters);
  if (IsIdeographic(term)) {
    for (const absl::string_view character : characters) out.push_back(Extend(kGramStart, character));
    return;
  }
  characters.insert(characters.begin(), "<");
  characters.push_back(">");
  for (size_t begin = 0; begin + kShortestGram <= characters.size(); ++begin) {
    uint64_t hash = kGramStart;
    for (size_t n = 1; n <= kLongestGram && begin + n <= characters.size(); ++n) {
      hash = Extend(hash, characters[begin + n - 1]);
      if (n >= kShortestGram) out.push_back(hash);
    }
  }
}

Vector Normalised(const Sums& sums) {
  double square = 0;
  for (const int64_t sum : sums) square += static_cast<double>(sum) * static_cast<double>(sum);
  const double length = std::sqrt(square);
  Vector out;
  out.reserve(sums.size());
  for (const int64_t sum : sums) out.push_back(static_cast<float>(static_cast<double>(sum) / length));
  return out;
}

Vector EmbedText(absl::string_view text) {
  std::vector<std::string> terms = Tokenize(text);
  std::sort(terms.begin(), terms.end());
  Sums sums = {};
  std::vector<absl::string_view> characters;
  std::vector<uint64_t> grams;
  for (size_t begin = 0; begin < terms.size();) {
    size_t end = begin + 1;
    while (end < terms.size() && terms[end] == terms[begin]) ++end;
    const absl::string_view term = terms[begin];
    const int64_t weight = TermWeight(end - begin);
    AddFeature(Extend(kHashStart, term), weight, sums);
    HashGrams(term, characters, grams);
    if (!grams.empty()) {
      const auto share =
          static_cast<int64_t>(static_cast<double>(weight) / std::sqrt(static_cast<double>(grams.size())));
      for (const uint64_t gram : grams) AddFeature(gram, share, sums);
    }
    begin = end;
  }
  // No terms, or (so unlikely that it has not been seen) all features cancelled.
  if (std::all_of(sums.begin(), sums.end(), [](int64_t sum) { return sum == 0; })) sums[0] = 1;
  return Normalised(sums);
}

}  // namespace

absl::StatusOr<std::vector<Vector>> HashedEmbedder::Embed(absl::Span<const absl::string_view> texts) {
  std::vector<Vector> out;
  out.reserve(texts.size());
  for (const absl::string_view text : texts) out.push_back(EmbedText(text));
  return out;
}

absl::StatusOr<Vector> HashedEmbedder::EmbedQuery(absl::string_view text) { return EmbedText(text); }

}  // namespace kernelsmith::memory
