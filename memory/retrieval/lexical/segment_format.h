// The bytes of a segment file, little-endian; docs/formats.md, "Lexical segments", describes them.
//
//   header 256 | posting lists | dictionary | its index | lengths | long lengths
//
// Every section begins at a multiple of 8. The header's digests are SHA-256 in hexadecimal: one of everything behind
// the header, one of the header's bytes before it.
#pragma once

#include <bit>
#include <cstdint>

namespace kernelsmith::memory {

static_assert(std::endian::native == std::endian::little, "segment files are mapped as they are");

constexpr char kSegmentMagic[8] = {'K', 'S', 'L', 'E', 'X', 'S', 'E', 'G'};
constexpr uint32_t kLexicalFormat = 1;

struct SegmentSection {
  uint64_t offset;  // from the start of the file
  uint64_t size;    // bytes
};

struct LexicalHeader {
  char magic[8];
  uint32_t format;
  uint32_t header_size;  // sizeof(LexicalHeader)
  uint32_t first;        // the items are [first, last)
  uint32_t last;
  uint64_t total_length;  // terms of all items
  uint64_t terms;         // distinct ones
  SegmentSection lists;
  SegmentSection dictionary;
  SegmentSection index;
  SegmentSection lengths;
  SegmentSection long_lengths;
  char reserved[8];  // zero
  char body_digest[64];
  char header_digest[64];  // last
};
static_assert(sizeof(LexicalHeader) == 256);

// Lists with at most this many postings are packed.
constexpr uint32_t kMostPackedPostings = 128;

// A chunk is dense if its postings times this reach the number of its items.
constexpr uint32_t kDenseFactor = 8;

// Terms of a block of the dictionary; its first one stands in the index.
constexpr uint32_t kTermsOfBlock = 32;

struct DictionaryIndexEntry {
  uint64_t prefix;  // the first 8 bytes of the block's first term as a big-endian number, zeros behind a shorter one
  uint32_t entry;   // offset of the block in the dictionary
  uint32_t list;    // of the first term's list in the section of lists, in words of 4 bytes
};
static_assert(sizeof(DictionaryIndexEntry) == 16);

// What stands before the chunk directory of a chunked list, and behind a packed list that has long counts.
struct ChunkedListHeader {
  uint32_t chunks;
  uint32_t long_counts;
};

}  // namespace kernelsmith::memory
