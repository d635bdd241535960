// A view on the postings of one term in one piece. Items are numbers within the piece.
//
// Two forms, both of files and of memory:
//   packed   32 bits a posting: the item in the upper 24, the count in the lower 8. Rare terms and the delta.
//   chunked  65 536 items a chunk. A sparse chunk has 16 bits of item and 4 of count for each posting; a dense chunk
//            has 4 bits of count for each item, 0 for none, so that membership and count are one look-up.
// The greatest number that fits in the count's bits stands for a count in the table of long counts.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "memory/retrieval/lexical/impact_bound.h"
#include "memory/retrieval/lexical/item_lengths.h"

namespace kernelsmith::memory {

constexpr uint32_t kItemsOfChunk = 1 << 16;
constexpr uint32_t kItemsOfWindow = 1 << 12;  // a dense chunk has a bound for each window
constexpr uint32_t kWindowsOfChunk = kItemsOfChunk / kItemsOfWindow;
constexpr uint32_t kPostingsOfBlock = 128;  // packed lists and sparse chunks have a bound for each block
constexpr uint32_t kLongPackedCount = 0xff;
constexpr uint32_t kLongChunkCount = 0xf;

struct Posting {
  uint32_t item;
  uint32_t count;
};

enum class ChunkForm : uint16_t { kSparse = 0, kDense = 1 };

// An entry of the directory of a chunked list; the same bytes in memory and in files.
struct ChunkEntry {
  uint16_t chunk;
  ChunkForm form;
  uint32_t postings;  // 1..65536
  uint32_t offset;    // of the chunk's bytes from the start of the list
  ImpactBound bound;  // of the whole chunk
};
static_assert(sizeof(ChunkEntry) == 16);

struct PostingList {
  uint32_t postings = 0;
  absl::Span<const uint32_t> packed;
  absl::Span<const ImpactBound> bounds;  // of the packed list's blocks; empty if there is but one block
  absl::Span<const ChunkEntry> chunks;
  const char* base = nullptr;                // of the chunks' offsets
  absl::Span<const LongNumber> long_counts;  // sorted by item

  bool empty() const { return postings == 0; }
};

inline uint32_t BlocksOf(uint32_t postings) { return (postings + kPostingsOfBlock - 1) / kPostingsOfBlock; }

// Where the parts of a sparse chunk lie: bounds of its blocks, items, counts (two a byte, the first in the lower half).
struct SparseChunk {
  const ImpactBound* bounds;
  const uint16_t* items;
  const uint8_t* counts;

  SparseChunk(const char* bytes, uint32_t postings)
      : bounds(reinterpret_cast<const ImpactBound*>(bytes)),
        items(reinterpret_cast<const uint16_t*>(bounds + BlocksOf(postings))),
        counts(reinterpret_cast<const uint8_t*>(items + postings)) {}

  static size_t Bytes(uint32_t postings) {
    return sizeof(ImpactBound) * BlocksOf(postings) + sizeof(uint16_t) * postings + (postings + 1) / 2;
  }
};

// The parts of a dense chunk: bounds of its windows, counts of its items (two a byte).
struct DenseChunk {
  const ImpactBound* bounds;
  const uint8_t* counts;

  explicit DenseChunk(const char* bytes)
      : bounds(reinterpret_cast<const ImpactBound*>(bytes)),
        counts(reinterpret_cast<const uint8_t*>(bounds + kWindowsOfChunk)) {}

  // `items` of the chunk: 65 536, fewer in the last one of a piece.
  static size_t Bytes(uint32_t items) { return sizeof(ImpactBound) * kWindowsOfChunk + (items + 1) / 2; }
};

// The i-th of numbers of four bits.
inline uint32_t NibbleAt(const uint8_t* nibbles, uint32_t i) { return nibbles[i >> 1] >> ((i & 1) * 4) & 0xf; }

// How often `item` holds the term; 0 if it does not.
uint32_t CountOf(const PostingList& list, uint32_t item);

// Appends all postings in the order of items, `shift` added to each item.
void AppendPostings(const PostingList& list, uint32_t shift, std::vector<Posting>& out);

// Appends `count` items, or all if there are fewer, in any order: late ones where that costs nothing.
void AppendSomeItems(const PostingList& list, size_t count, std::vector<uint32_t>& out);

}  // namespace kernelsmith::memory
