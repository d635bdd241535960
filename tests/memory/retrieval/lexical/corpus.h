// Random corpora, and BM25 by the definition, for the tests of lexical search.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <roaring/roaring.hh>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "memory/retrieval/lexical/lexical_index.h"
#include "memory/retrieval/tokenizer.h"

namespace kernelsmith::memory {

// The word of a rank: identifiers, numbers and Chinese words that share beginnings.
inline std::string WordOf(int rank) {
  static const char* const kChinese[] = {"向量", "加法", "搬运", "矩阵", "流水", "缓存", "对齐", "分块"};
  switch (rank % 4) {
    case 0:
      return absl::StrCat("datacopy", rank);
    case 1:
      return absl::StrCat("w", rank * 7919);
    case 2:
      return std::string(kChinese[rank / 4 % 8]) + (rank < 32 ? "" : absl::StrCat(" term", rank));
    default:
      return absl::StrCat("row_", rank);
  }
}

// Texts of about `length` words of Zipf-like frequency; some items are empty, some repeat a word very often.
class RandomTexts {
 public:
  RandomTexts(uint32_t seed, int words, int length) : random_(seed), length_(length) {
    std::vector<double> weights;
    for (int rank = 0; rank < words; ++rank) weights.push_back(1.0 / (rank + 1));
    rank_ = std::discrete_distribution<int>(weights.begin(), weights.end());
  }

  std::string Next() {
    const int kind = Below(100);
    if (kind == 0) return "";
    std::string text;
    const int words = 1 + Below(2 * length_);
    for (int i = 0; i < words; ++i) absl::StrAppend(&text, WordOf(rank_(random_)), " ");
    if (kind == 1) {
      const std::string word = WordOf(rank_(random_));
      for (int i = Below(400); i > 0; --i) absl::StrAppend(&text, word, ",");
    }
    return text;
  }

  std::string NextQuery() {
    std::string text = "nowhere";
    for (int i = 1 + Below(9); i > 0; --i) absl::StrAppend(&text, " ", WordOf(rank_(random_)));
    return text;
  }

  int Below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random_); }

 private:
  std::mt19937 random_;
  std::discrete_distribution<int> rank_;
  int length_;
};

// Every score by the formula of bm25.h, written down a second time.
class ExhaustiveScan {
 public:
  void Add(absl::string_view text) {
    const std::vector<std::string> terms = Tokenize(text);
    counts_.emplace_back();
    for (const std::string& term : terms) ++counts_.back()[term];
    for (const auto& [term, count] : counts_.back()) ++frequencies_[term];
    lengths_.push_back(static_cast<double>(terms.size()));
    total_ += static_cast<double>(terms.size());
  }

  LexicalResult Search(absl::string_view query, int limit, const Roaring* allowed) const {
    LexicalResult result;
    std::vector<std::pair<int, std::string>> terms;
    const std::vector<std::string> all = Tokenize(query);
    for (const std::string& term : std::set<std::string>(all.begin(), all.end())) {
      if (const auto place = frequencies_.find(term); place != frequencies_.end()) {
        terms.emplace_back(place->second, term);
      }
    }
    std::sort(terms.begin(), terms.end());
    if (terms.size() > 64) {
      result.unused_terms = static_cast<int>(terms.size() - 64);
      terms.resize(64);
    }
    for (const auto& [frequency, term] : terms) result.terms.push_back(term);

    const auto items = static_cast<double>(counts_.size());
    const double average = std::max(1.0, total_ / items);
    for (uint32_t item = 0; item < counts_.size(); ++item) {
      if (allowed != nullptr && !allowed->contains(item)) continue;
      LexicalMatch hit{.item = item};
      for (size_t i = 0; i < terms.size(); ++i) {
        const auto place = counts_[item].find(terms[i].second);
        if (place == counts_[item].end()) continue;
        const double with = terms[i].first;
        const double idf = std::log1p((items - with + 0.5) / (with + 0.5));
        const double norm = 1.2 * (1 - 0.75 + 0.75 * lengths_[item] / average);
        hit.score += idf * place->second * (1.2 + 1) / (place->second + norm);
        hit.terms |= uint64_t{1} << i;
      }
      if (hit.terms != 0) result.hits.push_back(hit);
    }
    std::sort(result.hits.begin(), result.hits.end(), [](const LexicalMatch& a, const LexicalMatch& b) {
      return a.score != b.score ? a.score > b.score : a.item > b.item;
    });
    if (result.hits.size() > static_cast<size_t>(limit)) result.hits.resize(limit);
    return result;
  }

 private:
  std::vector<std::map<std::string, int>> counts_;
  std::map<std::string, int> frequencies_;
  std::vector<double> lengths_;
  double total_ = 0;
};

// Scores in hexadecimal, so that a difference in the last bit shows.
inline std::string Describe(const LexicalResult& result) {
  std::string text;
  for (const std::string& term : result.terms) absl::StrAppend(&text, term, " ");
  absl::StrAppend(&text, "unused ", result.unused_terms, "\n");
  for (const LexicalMatch& hit : result.hits) {
    uint64_t bits = 0;
    static_assert(sizeof(bits) == sizeof(hit.score));
    std::memcpy(&bits, &hit.score, sizeof(bits));
    absl::StrAppend(&text, hit.item, " ", absl::Hex(bits), " ", absl::Hex(hit.terms), "\n");
  }
  return text;
}

}  // namespace kernelsmith::memory
