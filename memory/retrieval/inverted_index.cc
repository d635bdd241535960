#include "memory/retrieval/inverted_index.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "memory/retrieval/tokenizer.h"

namespace kernelsmith::memory {
namespace {

constexpr double kK1 = 1.2;
constexpr double kB = 0.75;

}  // namespace

void InvertedIndex::Add(absl::string_view text) {
  const auto document = static_cast<int32_t>(lengths_.size());
  const std::vector<std::string> terms = Tokenize(text);
  for (const std::string& term : terms) {
    std::vector<Posting>& list = postings_[term];
    if (!list.empty() && list.back().document == document) {
      ++list.back().count;
    } else {
      list.push_back({document, 1});
    }
  }
  lengths_.push_back(static_cast<int32_t>(terms.size()));
  total_length_ += static_cast<int64_t>(terms.size());
}

// ln(1 + (N - n + 0.5)/(n + 0.5)): positive also for a term that most documents hold.
double InvertedIndex::InverseFrequency(size_t documents_with_term) const {
  const auto total = static_cast<double>(lengths_.size());
  const auto with = static_cast<double>(documents_with_term);
  return std::log1p((total - with + 0.5) / (with + 0.5));
}

std::vector<LexicalHit> InvertedIndex::Search(absl::string_view query, int limit,
                                              const std::function<bool(int)>& accept) const {
  std::vector<std::string> terms = Tokenize(query);
  std::sort(terms.begin(), terms.end());
  terms.erase(std::unique(terms.begin(), terms.end()), terms.end());

  // Sums by document, in a scratch array that each thread keeps; NaN marks a document that did not pass the filter.
  thread_local std::vector<double> sums;
  if (sums.size() < lengths_.size()) sums.resize(lengths_.size(), 0.0);
  std::vector<int32_t> touched;
  const double average = lengths_.empty() ? 1.0 : std::max(1.0, static_cast<double>(total_length_) / size());
  for (const std::string& term : terms) {
    const auto entry = postings_.find(term);
    if (entry == postings_.end()) continue;
    const double idf = InverseFrequency(entry->second.size());
    for (const Posting& posting : entry->second) {
      double& sum = sums[posting.document];
      if (sum == 0) {  // not seen before: every term adds more than 0
        touched.push_back(posting.document);
        if (!accept(posting.document)) sum = std::nan("");
      }
      const auto count = static_cast<double>(posting.count);
      const double norm = kK1 * (1 - kB + kB * lengths_[posting.document] / average);
      sum += idf * count * (kK1 + 1) / (count + norm);
    }
  }

  std::vector<LexicalHit> hits;
  for (const int32_t document : touched) {
    if (!std::isnan(sums[document])) hits.push_back({.document = document, .score = sums[document], .terms = {}});
    sums[document] = 0;
  }
  const auto better = [](const LexicalHit& a, const LexicalHit& b) {
    return a.score != b.score ? a.score > b.score : a.document > b.document;
  };
  const size_t kept = std::min(hits.size(), static_cast<size_t>(std::max(limit, 0)));
  std::partial_sort(hits.begin(), hits.begin() + static_cast<std::ptrdiff_t>(kept), hits.end(), better);
  hits.resize(kept);

  // Which terms met, only for what is returned.
  std::vector<const std::vector<Posting>*> lists;
  for (const std::string& term : terms) {
    const auto entry = postings_.find(term);
    lists.push_back(entry == postings_.end() ? nullptr : &entry->second);
  }
  std::vector<size_t> by_rarity(terms.size());
  for (size_t i = 0; i < by_rarity.size(); ++i) by_rarity[i] = i;
  std::stable_sort(by_rarity.begin(), by_rarity.end(), [&](size_t a, size_t b) {
    return (lists[a] == nullptr ? 0 : lists[a]->size()) < (lists[b] == nullptr ? 0 : lists[b]->size());
  });
  for (LexicalHit& hit : hits) {
    for (const size_t i : by_rarity) {
      if (lists[i] == nullptr) continue;
      const auto place =
          std::lower_bound(lists[i]->begin(), lists[i]->end(), hit.document,
                           [](const Posting& posting, int document) { return posting.document < document; });
      if (place != lists[i]->end() && place->document == hit.document) hit.terms.push_back(terms[i]);
    }
  }
  return hits;
}

std::string InvertedIndex::Fingerprint() const {
  std::vector<std::string> lines;
  for (const auto& [term, list] : postings_) {
    std::string line = term;
    for (const Posting& posting : list) absl::StrAppend(&line, " ", posting.document, ":", posting.count);
    lines.push_back(std::move(line));
  }
  std::sort(lines.begin(), lines.end());
  std::string out = absl::StrCat("documents ", lengths_.size(), " terms ", total_length_, "\n");
  for (const std::string& line : lines) absl::StrAppend(&out, line, "\n");
  return out;
}

}  // namespace kernelsmith::memory
