#include "memory/retrieval/lexical/lexical_index.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "memory/retrieval/lexical/allowed_items.h"
#include "memory/retrieval/lexical/delta_part.h"
#include "memory/retrieval/lexical/first_threshold.h"
#include "memory/retrieval/lexical/query_term.h"
#include "memory/retrieval/lexical/window_search.h"
#include "memory/retrieval/tokenizer.h"

namespace kernelsmith::memory {
namespace {

constexpr size_t kMostTerms = 64;  // bits of LexicalMatch::terms

std::vector<std::string> DistinctTerms(absl::string_view query) {
  std::vector<std::string> terms = Tokenize(query);
  std::sort(terms.begin(), terms.end());
  terms.erase(std::unique(terms.begin(), terms.end()), terms.end());
  return terms;
}

// The terms that some piece holds, the rarest first; terms of one frequency in byte order.
std::vector<QueryTerm> FindTerms(absl::string_view query, const std::vector<const LexicalPiece*>& pieces) {
  std::vector<QueryTerm> found;
  for (std::string& term : DistinctTerms(query)) {
    QueryTerm entry{.term = std::move(term), .lists = {}, .postings = 0};
    entry.lists.reserve(pieces.size());
    for (const LexicalPiece* piece : pieces) {
      entry.lists.push_back(piece->Find(entry.term));
      entry.postings += entry.lists.back().postings;
    }
    if (entry.postings > 0) found.push_back(std::move(entry));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const QueryTerm& a, const QueryTerm& b) { return a.postings < b.postings; });
  return found;
}

// Bit i: the item holds terms[i].
uint64_t TermsOfItem(const std::vector<QueryTerm>& terms, const std::vector<const LexicalPiece*>& pieces,
                     uint32_t item) {
  const auto after =
      std::upper_bound(pieces.begin(), pieces.end(), item,
                       [](uint32_t wanted, const LexicalPiece* piece) { return wanted < piece->last(); });
  const auto piece = static_cast<size_t>(after - pieces.begin());
  uint64_t held = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    const PostingList& list = terms[i].lists[piece];
    if (!list.empty() && CountOf(list, item - pieces[piece]->first()) != 0) held |= uint64_t{1} << i;
  }
  return held;
}

}  // namespace

std::vector<std::string> LexicalResult::TermsOf(const LexicalMatch& hit) const {
  std::vector<std::string> held;
  for (size_t i = 0; i < terms.size(); ++i) {
    if ((hit.terms >> i & 1) != 0) held.push_back(terms[i]);
  }
  return held;
}

LexicalIndex::LexicalIndex() = default;
LexicalIndex::~LexicalIndex() = default;
LexicalIndex::LexicalIndex(LexicalIndex&&) noexcept = default;
LexicalIndex& LexicalIndex::operator=(LexicalIndex&&) noexcept = default;

void LexicalIndex::Add(absl::string_view text) {
  if (open_ != nullptr && open_->full()) pieces_.push_back(std::exchange(open_, nullptr));
  if (open_ == nullptr) open_ = std::make_shared<DeltaPart>(size_);
  open_->Add(text);
  ++size_;
}

std::vector<const LexicalPiece*> LexicalIndex::AllPieces() const {
  std::vector<const LexicalPiece*> all;
  for (const auto& piece : pieces_) all.push_back(piece.get());
  if (open_ != nullptr) all.push_back(open_.get());
  return all;
}

LexicalFinding LexicalIndex::Find(absl::string_view query, int limit, const Roaring* allowed) const {
  LexicalFinding found;
  const std::vector<const LexicalPiece*> pieces = AllPieces();
  found.terms = FindTerms(query, pieces);
  std::vector<QueryTerm>& terms = found.terms;
  if (terms.size() > kMostTerms) {
    found.result.unused_terms = static_cast<int>(terms.size() - kMostTerms);
    terms.resize(kMostTerms);
  }
  for (const QueryTerm& term : terms) found.result.terms.push_back(term.term);
  if (limit <= 0 || terms.empty()) return found;

  int64_t total_length = 0;
  for (const LexicalPiece* piece : pieces) total_length += piece->total_length();
  const LengthNorms norms(size_, total_length);
  std::vector<TermWeight> weights;
  for (const QueryTerm& term : terms) weights.emplace_back(InverseFrequency(size_, term.postings));

  BestItems best(static_cast<size_t>(limit));
  best.RaiseFloor(FirstThreshold(pieces, terms, weights, norms, allowed, static_cast<size_t>(limit)));
  std::vector<PostingList> lists(terms.size());
  for (size_t i = pieces.size(); i-- > 0;) {
    for (size_t k = 0; k < terms.size(); ++k) lists[k] = terms[k].lists[i];
    SearchPiece(*pieces[i], lists, weights, norms, AllowedItems(allowed, pieces[i]->first(), pieces[i]->last()), best);
  }
  for (const BestItem& hit : best.Take()) found.result.hits.push_back({.item = hit.item, .score = hit.score});
  return found;
}

void LexicalIndex::FillTerms(const LexicalFinding& found, LexicalMatch& hit) const {
  hit.terms = TermsOfItem(found.terms, AllPieces(), hit.item);
}

LexicalResult LexicalIndex::Search(absl::string_view query, int limit, const Roaring* allowed) const {
  LexicalFinding found = Find(query, limit, allowed);
  for (LexicalMatch& hit : found.result.hits) FillTerms(found, hit);
  return std::move(found.result);
}

LexicalPieces LexicalIndex::Pieces() const { return pieces_; }

LexicalPieces LexicalIndex::CutDelta() {
  if (open_ != nullptr) pieces_.push_back(std::exchange(open_, nullptr));
  LexicalPieces parts;
  for (const auto& piece : pieces_) {
    if (!piece->sealed()) parts.push_back(piece);
  }
  return parts;
}

absl::StatusOr<LexicalPieces> LexicalIndex::Adopt(std::shared_ptr<const LexicalSegment> segment) {
  const uint32_t first = segment->first();
  const uint32_t last = segment->last();
  const uint32_t closed = open_ == nullptr ? size_ : open_->first();
  if (first == size_ && open_ == nullptr) {  // behind everything
    size_ = last;
    if (last > first) pieces_.push_back(std::move(segment));
    return LexicalPieces();
  }
  const auto begin = std::find_if(pieces_.begin(), pieces_.end(), [&](const auto& p) { return p->first() == first; });
  const auto end = std::find_if(begin, pieces_.end(), [&](const auto& p) { return p->first() == last; });
  if (begin == pieces_.end() || last <= first || (end == pieces_.end() && last != closed)) {
    return absl::FailedPreconditionError(
        absl::StrCat("the segment of items ", first, " to ", last,
                     " does not begin and end where pieces of the index do, which has ", size_,
                     " items; give segments in order, without gap, or made of whole pieces"));
  }
  LexicalPieces replaced(begin, end);
  *begin = std::move(segment);
  pieces_.erase(begin + 1, end);
  return replaced;
}

LexicalStatistics LexicalIndex::Statistics() const {
  LexicalStatistics statistics{.items = size_};
  for (const LexicalPiece* piece : AllPieces()) {
    if (piece->sealed()) {
      ++statistics.segments;
    } else {
      statistics.delta_items += piece->last() - piece->first();
    }
    statistics.resident_bytes += piece->resident_bytes();
    statistics.mapped_bytes += piece->mapped_bytes();
  }
  return statistics;
}

std::string LexicalIndex::Fingerprint() const {
  std::map<std::string, std::string> lines;
  int64_t total_length = 0;
  std::vector<Posting> postings;
  for (const LexicalPiece* piece : AllPieces()) {
    total_length += piece->total_length();
    for (const auto terms = piece->Terms(); terms->valid(); terms->Next()) {
      postings.clear();
      AppendPostings(terms->list(), piece->first(), postings);
      std::string& line = lines[std::string(terms->term())];
      for (const Posting& posting : postings) absl::StrAppend(&line, " ", posting.item, ":", posting.count);
    }
  }
  std::string out = absl::StrCat("items ", size_, " terms ", total_length, "\n");
  for (const auto& [term, line] : lines) absl::StrAppend(&out, term, line, "\n");
  return out;
}

}  // namespace kernelsmith::memory
