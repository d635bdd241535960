#include "memory/retrieval/lexical/window_search.h"

#include <bit>
#include <cstdint>
#include <vector>

#include "memory/retrieval/lexical/list_window.h"

namespace kernelsmith::memory {
namespace {

// A look-up in a sparse list costs about as much as visiting so many postings.
constexpr uint32_t kVisitsOfLookup = 16;

// Sums by item of one window; all zero between windows. Each thread keeps its own.
struct Scratch {
  alignas(64) double sums[kItemsOfWindow] = {};
  uint16_t touched[kItemsOfWindow + 1];     // items with a sum; one more place, so that it may be written before a test
  uint16_t candidates[kItemsOfWindow + 1];  // items that may reach the threshold
};

class PieceSearch {
 public:
  PieceSearch(const LexicalPiece& piece, absl::Span<const PostingList> lists, absl::Span<const TermWeight> weights,
              const LengthNorms& norms, const AllowedItems& allowed, BestItems& best, Scratch& scratch)
      : first_(piece.first()),
        items_(static_cast<uint32_t>(piece.lengths().size())),
        lengths_(piece.lengths()),
        norms_(norms),
        allowed_(allowed),
        listed_left_(allowed.listed().size()),
        best_(best),
        scratch_(scratch) {
    windows_.reserve(lists.size());
    for (size_t i = 0; i < lists.size(); ++i) {
      if (!lists[i].empty()) windows_.emplace_back(lists[i], weights[i], norms, lengths_);
    }
    rest_.resize(windows_.size() + 1);
  }

  void Run() {
    if (windows_.empty() || items_ == 0) return;
    for (uint32_t chunk = (items_ - 1) / kItemsOfChunk + 1; chunk-- > 0;) {
      const uint32_t begin = chunk * kItemsOfChunk;
      double bound = 0;
      for (ListWindow& window : windows_) bound += window.MoveToChunk(begin);
      if (bound <= best_.threshold()) continue;
      const uint32_t end = std::min(items_ - begin, kItemsOfChunk);
      for (uint32_t window = (end - 1) / kItemsOfWindow + 1; window-- > 0;) {
        SearchWindow(begin + window * kItemsOfWindow);
      }
    }
  }

 private:
  void SearchWindow(uint32_t begin) {
    begin_ = begin;
    const size_t terms = windows_.size();
    rest_[terms] = 0;
    for (size_t i = terms; i-- > 0;) rest_[i] = rest_[i + 1] + windows_[i].MoveTo(begin);
    threshold_ = best_.threshold();
    if (rest_[0] <= threshold_) return;
    size_t needed = 0;
    while (rest_[needed] > threshold_) ++needed;

    touched_ = 0;
    size_t next = 0;
    if (allowed_.form() == AllowedItems::Form::kListed) {
      TakeListed();
    } else {
      for (; next < needed; ++next) AddAll(windows_[next]);
      TakeCandidates(rest_[needed]);
    }
    for (; next < terms && candidates_ > 0; ++next) {
      if (rest_[next] == rest_[next + 1]) continue;  // no posting here
      AddToCandidates(windows_[next]);
      if (rest_[next + 1] <= threshold_) KeepCandidates(rest_[next + 1]);
    }
    OfferCandidates();
    for (uint32_t i = 0; i < touched_; ++i) scratch_.sums[scratch_.touched[i]] = 0;
  }

  double NormAt(uint32_t offset) const { return norms_.Of(lengths_.At(begin_ + offset)); }

  // Adds every posting of the window.
  void AddAll(const ListWindow& window) {
    uint32_t touched = touched_;
    window.ForEach([&](uint32_t offset, uint32_t count) {
      double& sum = scratch_.sums[offset];
      scratch_.touched[touched] = static_cast<uint16_t>(offset);
      touched += sum == 0 ? 1 : 0;
      sum += window.Part(count, NormAt(offset));
    });
    touched_ = touched;
  }

  // The allowed items of the window become candidates. Their sum is negative zero: no zero in bits, yet adds nothing.
  void TakeListed() {
    const std::vector<uint32_t>& listed = allowed_.listed();
    while (listed_left_ > 0 && listed[listed_left_ - 1] >= begin_ + kItemsOfWindow) --listed_left_;
    for (; listed_left_ > 0 && listed[listed_left_ - 1] >= begin_; --listed_left_) {
      const auto offset = static_cast<uint16_t>(listed[listed_left_ - 1] - begin_);
      scratch_.sums[offset] = -0.0;
      scratch_.touched[touched_] = offset;
      scratch_.candidates[touched_++] = offset;
    }
    candidates_ = touched_;
  }

  // Touched items become candidates if they can reach the threshold and are allowed.
  void TakeCandidates(double rest) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < touched_; ++i) {
      const uint16_t offset = scratch_.touched[i];
      scratch_.candidates[kept] = offset;
      kept += scratch_.sums[offset] + rest >= threshold_ ? 1 : 0;
    }
    candidates_ = kept;
    if (allowed_.form() == AllowedItems::Form::kAsked && !allowed_.passes_most()) KeepAllowed();
  }

  void KeepAllowed() {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < candidates_; ++i) {
      const uint16_t offset = scratch_.candidates[i];
      scratch_.candidates[kept] = offset;
      kept += allowed_.Contains(begin_ + offset) ? 1 : 0;
    }
    candidates_ = kept;
  }

  void KeepCandidates(double rest) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < candidates_; ++i) {
      const uint16_t offset = scratch_.candidates[i];
      scratch_.candidates[kept] = offset;
      kept += scratch_.sums[offset] + rest >= threshold_ ? 1 : 0;
    }
    candidates_ = kept;
  }

  // Adds the postings of candidates, by look-ups or by a visit to all postings, whichever costs less.
  void AddToCandidates(const ListWindow& window) {
    if (!window.is_dense() && window.postings() < candidates_ * kVisitsOfLookup) {
      window.ForEach([&](uint32_t offset, uint32_t count) {
        double& sum = scratch_.sums[offset];
        if (std::bit_cast<uint64_t>(sum) != 0) sum += window.Part(count, NormAt(offset));
      });
      return;
    }
    for (uint32_t i = 0; i < candidates_; ++i) {
      const uint32_t offset = scratch_.candidates[i];
      const uint32_t count = window.CountAt(offset);
      if (count != 0) scratch_.sums[offset] += window.Part(count, NormAt(offset));
    }
  }

  void OfferCandidates() {
    const bool ask = allowed_.form() == AllowedItems::Form::kAsked && allowed_.passes_most();
    for (uint32_t i = 0; i < candidates_; ++i) {
      const uint32_t offset = scratch_.candidates[i];
      const double score = scratch_.sums[offset];
      if (score < best_.threshold()) continue;
      if (ask && !allowed_.Contains(begin_ + offset)) continue;
      best_.Offer(score, first_ + begin_ + offset);
    }
  }

  const uint32_t first_;
  const uint32_t items_;
  const ItemLengths lengths_;
  const LengthNorms& norms_;
  const AllowedItems& allowed_;
  size_t listed_left_;  // allowed items before the windows that are done
  BestItems& best_;
  Scratch& scratch_;

  std::vector<ListWindow> windows_;  // of the terms that the piece holds, the rarest first
  std::vector<double> rest_;         // rest_[i]: sum of the window's bounds of terms i and later

  uint32_t begin_ = 0;  // of the window
  double threshold_ = 0;
  uint32_t touched_ = 0;
  uint32_t candidates_ = 0;
};

}  // namespace

void SearchPiece(const LexicalPiece& piece, absl::Span<const PostingList> lists, absl::Span<const TermWeight> weights,
                 const LengthNorms& norms, const AllowedItems& allowed, BestItems& best) {
  if (allowed.form() == AllowedItems::Form::kNone) return;
  thread_local Scratch scratch;
  PieceSearch(piece, lists, weights, norms, allowed, best, scratch).Run();
}

}  // namespace kernelsmith::memory
