// An inverted index with BM25 (k1 = 1.2, b = 0.75) over the items of one team. Documents are numbered from 0 in the
// order of Add.
//
//   InvertedIndex index;
//   index.Add("softmax row reduction");
//   index.Search("row softmax", 30, [](int) { return true; });   // hits by falling score
//
// Not thread-safe by itself: many Search calls may run beside each other, none beside Add.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/strings/string_view.h"

namespace kernelsmith::memory {

struct LexicalHit {
  int document = 0;
  double score = 0;                // s > 0
  std::vector<std::string> terms;  // query terms that the document holds, the rarest first
};

class InvertedIndex {
 public:
  void Add(absl::string_view text);

  // The `limit` best documents that `accept` lets pass and that share a term with the query. Equal scores: the later
  // document first. `accept` is asked at most once per document.
  std::vector<LexicalHit> Search(absl::string_view query, int limit, const std::function<bool(int)>& accept) const;

  int size() const { return static_cast<int>(lengths_.size()); }

  // The whole index as text, for comparing a rebuilt one.
  std::string Fingerprint() const;

 private:
  struct Posting {
    int32_t document;
    int32_t count;
  };

  double InverseFrequency(size_t documents_with_term) const;

  std::unordered_map<std::string, std::vector<Posting>> postings_;
  std::vector<int32_t> lengths_;  // terms per document
  int64_t total_length_ = 0;
};

}  // namespace kernelsmith::memory
