// What a segment file and a part of the delta have in common: the inverted index of a range of items.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "memory/retrieval/lexical/item_lengths.h"
#include "memory/retrieval/lexical/posting_list.h"

namespace kernelsmith::memory {

// A piece holds at most this many items: a posting keeps its item in 24 bits.
constexpr uint32_t kMostItemsOfPiece = uint32_t{1} << 24;

// The terms of a piece in byte order, each with its list.
class TermCursor {
 public:
  virtual ~TermCursor() = default;
  virtual bool valid() const = 0;
  // REQUIRES: valid(). The view lives until Next.
  virtual absl::string_view term() const = 0;
  virtual PostingList list() const = 0;
  virtual void Next() = 0;
};

class LexicalPiece {
 public:
  virtual ~LexicalPiece() = default;

  uint32_t first() const { return first_; }
  uint32_t last() const { return first_ + static_cast<uint32_t>(lengths().size()); }  // one past the end
  virtual bool sealed() const = 0;                                                    // a file, no memory
  virtual ItemLengths lengths() const = 0;
  virtual int64_t total_length() const = 0;

  // The list of `term`, empty if no item holds it.
  virtual PostingList Find(absl::string_view term) const = 0;
  virtual std::unique_ptr<TermCursor> Terms() const = 0;

  virtual int64_t resident_bytes() const = 0;
  virtual int64_t mapped_bytes() const = 0;

 protected:
  explicit LexicalPiece(uint32_t first) : first_(first) {}

 private:
  uint32_t first_;
};

using LexicalPieces = std::vector<std::shared_ptr<const LexicalPiece>>;

}  // namespace kernelsmith::memory
