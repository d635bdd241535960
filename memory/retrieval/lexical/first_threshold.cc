#include "memory/retrieval/lexical/first_threshold.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace kernelsmith::memory {
namespace {

constexpr uint32_t kFewestItems = kItemsOfWindow;  // below it a search is quick without a threshold
constexpr size_t kSamplesOfHit = 2;
constexpr size_t kMostSamples = 2000;
constexpr uint64_t kLeastShare = 16;  // with fewer than one item in so many allowed, a sample finds too few of them

struct Sample {
  uint32_t item;   // within its piece
  uint32_t piece;  // index
  bool operator==(const Sample& other) const { return item == other.item && piece == other.piece; }
  bool operator<(const Sample& other) const { return piece != other.piece ? piece < other.piece : item < other.item; }
};

// Items of the rarest lists, up to `wanted`.
std::vector<Sample> TakeSamples(size_t pieces, absl::Span<const QueryTerm> terms, size_t wanted) {
  std::vector<Sample> samples;
  std::vector<uint32_t> items;
  for (const QueryTerm& term : terms) {
    for (size_t piece = pieces; piece-- > 0 && samples.size() < wanted;) {
      items.clear();
      AppendSomeItems(term.lists[piece], wanted - samples.size(), items);
      for (const uint32_t item : items) samples.push_back({item, static_cast<uint32_t>(piece)});
    }
    if (samples.size() >= wanted) break;
  }
  std::sort(samples.begin(), samples.end());
  samples.erase(std::unique(samples.begin(), samples.end()), samples.end());
  return samples;
}

}  // namespace

double FirstThreshold(absl::Span<const LexicalPiece* const> pieces, absl::Span<const QueryTerm> terms,
                      absl::Span<const TermWeight> weights, const LengthNorms& norms, const Roaring* allowed,
                      size_t limit) {
  const uint64_t items = pieces.empty() ? 0 : pieces.back()->last();
  const uint64_t passing = allowed == nullptr ? items : std::min<uint64_t>(allowed->cardinality(), items);
  if (items < kFewestItems || passing * kLeastShare <= items || limit > kMostSamples) return 0;
  const size_t wanted = limit * kSamplesOfHit * items / passing;

  std::vector<double> scores;
  for (const Sample& sample : TakeSamples(pieces.size(), terms, std::min(wanted, kMostSamples))) {
    const LexicalPiece& piece = *pieces[sample.piece];
    if (allowed != nullptr && !allowed->contains(piece.first() + sample.item)) continue;
    const double norm = norms.Of(piece.lengths().At(sample.item));
    double score = 0;
    for (size_t i = 0; i < terms.size(); ++i) {
      const uint32_t count = CountOf(terms[i].lists[sample.piece], sample.item);
      if (count != 0) score += weights[i].Part(count, norm);
    }
    scores.push_back(score);
  }
  if (scores.size() < limit) return 0;
  const auto last = scores.begin() + static_cast<std::ptrdiff_t>(limit) - 1;
  std::nth_element(scores.begin(), last, scores.end(), std::greater<>());
  return std::nextafter(*last, 0.0);
}

}  // namespace kernelsmith::memory
