// The terms of a segment in byte order, front-coded in blocks of 32, with the place of each one's list.
//
//   entry: uint8 bytes shared with the term before | uint8 bytes that follow | those bytes | varint head | [varint
//   words] head:  2 * postings + sized; `words` (the list's size in words of 4 bytes) only if sized = 1, else it is
//   `postings`
//
// The first term of a block shares nothing. A look-up is a binary search in the index, which fits a cache, and one walk
// over a block. A varint has 7 bits a byte, the lowest first, the best bit set in all but the last.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "memory/retrieval/lexical/segment_format.h"

namespace kernelsmith::memory {

// Where the list of a term lies among the lists of its segment.
struct ListPlace {
  uint32_t postings = 0;  // 0: no such term
  uint32_t begin = 0;     // in words of 4 bytes
  uint32_t words = 0;
};

class DictionaryWriter {
 public:
  // REQUIRES: `term` comes behind all before it, 1..255 bytes; the list of `words` words follows theirs.
  void Add(absl::string_view term, uint32_t postings, uint32_t words);

  uint64_t terms() const { return terms_; }
  const std::string& entries() const { return entries_; }
  const std::vector<DictionaryIndexEntry>& index() const { return index_; }

 private:
  std::string entries_;
  std::vector<DictionaryIndexEntry> index_;
  std::string last_;
  uint64_t terms_ = 0;
  uint32_t words_ = 0;
};

class Dictionary;

// A walk over entries. On bytes that Check did not pass, Next may find damage.
class DictionaryCursor {
 public:
  DictionaryCursor(const Dictionary& dictionary, uint64_t block);

  bool valid() const { return valid_; }
  absl::string_view term() const { return {term_, length_}; }
  const ListPlace& place() const { return place_; }
  uint64_t offset() const { return next_; }  // one past the entry

  // To the next entry; not valid() behind the last one, and also where an entry does not fit (then damaged()).
  void Next();
  bool damaged() const { return damaged_; }

 private:
  bool ReadVarint(uint32_t& value);

  const absl::string_view entries_;
  uint64_t next_;
  bool valid_ = false;
  bool damaged_ = false;
  size_t length_ = 0;
  ListPlace place_;
  char term_[256];
};

class Dictionary {
 public:
  Dictionary() = default;
  Dictionary(absl::string_view entries, absl::Span<const DictionaryIndexEntry> index)
      : entries_(entries), index_(index) {}

  // REQUIRES: Check passed.
  ListPlace Find(absl::string_view term) const;

  // Order and fit of every entry, and that the index says the same. `terms` and `words` (of all lists) as the header
  // has them. DATA_LOSS otherwise.
  absl::Status Check(uint64_t terms, uint64_t words) const;

  absl::string_view entries() const { return entries_; }
  absl::Span<const DictionaryIndexEntry> index() const { return index_; }

 private:
  absl::string_view FirstTerm(const DictionaryIndexEntry& block) const;

  absl::string_view entries_;
  absl::Span<const DictionaryIndexEntry> index_;
};

}  // namespace kernelsmith::memory
