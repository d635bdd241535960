#include "memory/retrieval/lexical/list_encoding.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "memory/retrieval/lexical/segment_format.h"

namespace kernelsmith::memory {
namespace {

template <typename T>
void Append(std::string& out, const T* values, size_t count) {
  out.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

template <typename T>
absl::Span<const T> ViewArray(absl::string_view bytes, size_t offset, size_t count) {
  return {reinterpret_cast<const T*>(bytes.data() + offset), count};
}

uint32_t ItemsOfChunk(uint32_t items, uint32_t chunk) { return std::min(items - chunk * kItemsOfChunk, kItemsOfChunk); }

void AddNibble(std::string& out, size_t begin, uint32_t i, uint32_t nibble) {
  char& byte = out[begin + i / 2];
  byte = static_cast<char>(static_cast<unsigned char>(byte) | nibble << (i % 2 * 4));
}

void EncodePacked(absl::Span<const Posting> postings, std::string& out, std::vector<LongNumber>& long_counts) {
  for (const Posting& posting : postings) {
    const uint32_t word = posting.item << 8 | std::min(posting.count, kLongPackedCount);
    Append(out, &word, 1);
    if (posting.count >= kLongPackedCount) long_counts.push_back({posting.item, posting.count});
  }
}

ImpactBound BoundOf(absl::Span<const Posting> postings, const ItemLengths& lengths) {
  ImpactBound bound;
  for (const Posting& posting : postings) bound.Include(posting.count, lengths.At(posting.item));
  return bound;
}

void EncodeSparse(absl::Span<const Posting> postings, const ItemLengths& lengths, std::string& out) {
  for (size_t i = 0; i < postings.size(); i += kPostingsOfBlock) {
    const ImpactBound bound = BoundOf(postings.subspan(i, kPostingsOfBlock), lengths);
    Append(out, &bound, 1);
  }
  for (const Posting& posting : postings) {
    const auto low = static_cast<uint16_t>(posting.item % kItemsOfChunk);
    Append(out, &low, 1);
  }
  const size_t counts = out.size();
  out.append((postings.size() + 1) / 2, '\0');
  for (uint32_t i = 0; i < postings.size(); ++i) {
    AddNibble(out, counts, i, std::min(postings[i].count, kLongChunkCount));
  }
}

void EncodeDense(absl::Span<const Posting> postings, const ItemLengths& lengths, uint32_t items, std::string& out) {
  ImpactBound bounds[kWindowsOfChunk];
  for (const Posting& posting : postings) {
    bounds[posting.item % kItemsOfChunk / kItemsOfWindow].Include(posting.count, lengths.At(posting.item));
  }
  Append(out, bounds, kWindowsOfChunk);
  const size_t counts = out.size();
  out.append((items + 1) / 2, '\0');
  for (const Posting& posting : postings) {
    AddNibble(out, counts, posting.item % kItemsOfChunk, std::min(posting.count, kLongChunkCount));
  }
}

void EncodeChunked(absl::Span<const Posting> postings, const ItemLengths& lengths, std::string& out,
                   std::vector<LongNumber>& long_counts) {
  const size_t start = out.size();
  std::vector<absl::Span<const Posting>> chunks;
  for (size_t begin = 0; begin < postings.size();) {
    const uint32_t chunk = postings[begin].item / kItemsOfChunk;
    size_t end = begin;
    while (end < postings.size() && postings[end].item / kItemsOfChunk == chunk) ++end;
    chunks.push_back(postings.subspan(begin, end - begin));
    begin = end;
  }
  for (const Posting& posting : postings) {
    if (posting.count >= kLongChunkCount) long_counts.push_back({posting.item, posting.count});
  }
  const ChunkedListHeader header{static_cast<uint32_t>(chunks.size()), static_cast<uint32_t>(long_counts.size())};
  Append(out, &header, 1);
  const size_t directory = out.size();
  out.append(chunks.size() * sizeof(ChunkEntry), '\0');
  for (size_t i = 0; i < chunks.size(); ++i) {
    const uint32_t chunk = chunks[i].front().item / kItemsOfChunk;
    const uint32_t items = ItemsOfChunk(static_cast<uint32_t>(lengths.size()), chunk);
    const bool dense = uint64_t{kDenseFactor} * chunks[i].size() >= items;
    const ChunkEntry entry{.chunk = static_cast<uint16_t>(chunk),
                           .form = dense ? ChunkForm::kDense : ChunkForm::kSparse,
                           .postings = static_cast<uint32_t>(chunks[i].size()),
                           .offset = static_cast<uint32_t>(out.size() - start),
                           .bound = BoundOf(chunks[i], lengths)};
    if (dense) {
      EncodeDense(chunks[i], lengths, items, out);
    } else {
      EncodeSparse(chunks[i], lengths, out);
    }
    out.append((4 - out.size() % 4) % 4, '\0');
    std::memcpy(&out[directory + i * sizeof(ChunkEntry)], &entry, sizeof(entry));
  }
}

absl::Status Damaged(absl::string_view what) { return absl::DataLossError(absl::StrCat("a posting list ", what)); }

// True if the numbers rise strictly. No early exit, so that the loop runs in vectors.
template <typename T>
bool Rises(const T* values, size_t count) {
  bool rises = true;
  for (size_t i = 1; i < count; ++i) rises &= values[i - 1] < values[i];
  return rises;
}

absl::Status CheckLongCounts(absl::Span<const LongNumber> table, uint32_t items) {
  for (size_t i = 0; i < table.size(); ++i) {
    if (table[i].item >= items || table[i].number == 0) return Damaged("has a long count of no item");
    if (i > 0 && table[i - 1].item >= table[i].item) return Damaged("has long counts out of order");
  }
  return absl::OkStatus();
}

absl::Status CheckPacked(absl::string_view bytes, uint32_t postings, uint32_t items) {
  if (bytes.size() < postings * sizeof(uint32_t) || (bytes.size() - postings * sizeof(uint32_t)) % 8 != 0) {
    return Damaged("has a size that does not fit its postings");
  }
  const PostingList list = ViewList(bytes, postings);
  for (size_t i = 0; i < list.packed.size(); ++i) {
    if (list.packed[i] >> 8 >= items || (list.packed[i] & 0xff) == 0) return Damaged("names an item out of range");
    if (i > 0 && list.packed[i - 1] >> 8 >= list.packed[i] >> 8) return Damaged("has items out of order");
    if ((list.packed[i] & 0xff) == kLongPackedCount && FindLongNumber(list.long_counts, list.packed[i] >> 8) == 0) {
      return Damaged("lacks a long count");
    }
  }
  return CheckLongCounts(list.long_counts, items);
}

// Counts the postings and asks for every long count, which is rare.
absl::Status CheckCounts(const PostingList& list, const ChunkEntry& entry, uint32_t items) {
  uint32_t found = 0;
  const auto check = [&](uint32_t low, uint32_t count) {
    found += count != 0 ? 1 : 0;
    return count != kLongChunkCount || FindLongNumber(list.long_counts, entry.chunk * kItemsOfChunk + low) != 0;
  };
  bool complete = true;
  if (entry.form == ChunkForm::kDense) {
    const DenseChunk chunk(list.base + entry.offset);
    for (uint32_t low = 0; low < items; ++low) complete &= check(low, NibbleAt(chunk.counts, low));
    if (items % 2 == 1 && chunk.counts[items / 2] >> 4 != 0) return Damaged("counts an item out of range");
  } else {
    const SparseChunk chunk(list.base + entry.offset, entry.postings);
    for (uint32_t i = 0; i < entry.postings; ++i) complete &= check(chunk.items[i], NibbleAt(chunk.counts, i));
  }
  if (found != entry.postings) return Damaged("does not hold as many postings as it says");
  return complete ? absl::OkStatus() : Damaged("lacks a long count");
}

absl::Status CheckChunked(absl::string_view bytes, uint32_t postings, uint32_t items) {
  if (bytes.size() < sizeof(ChunkedListHeader)) return Damaged("is too short for its header");
  ChunkedListHeader header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  const uint64_t tables =
      sizeof(header) + uint64_t{header.chunks} * sizeof(ChunkEntry) + uint64_t{header.long_counts} * sizeof(LongNumber);
  if (tables > bytes.size()) return Damaged("is too short for its tables");
  const PostingList list = ViewList(bytes, postings);
  if (absl::Status status = CheckLongCounts(list.long_counts, items); !status.ok()) return status;
  uint64_t offset = sizeof(header) + uint64_t{header.chunks} * sizeof(ChunkEntry);
  const uint64_t end = bytes.size() - uint64_t{header.long_counts} * sizeof(LongNumber);
  uint64_t found = 0;
  for (size_t i = 0; i < list.chunks.size(); ++i) {
    const ChunkEntry& entry = list.chunks[i];
    if (i > 0 && list.chunks[i - 1].chunk >= entry.chunk) return Damaged("has chunks out of order");
    if (uint64_t{entry.chunk} * kItemsOfChunk >= items) return Damaged("has a chunk out of range");
    const uint32_t chunk_items = ItemsOfChunk(items, entry.chunk);
    if (entry.postings == 0 || entry.postings > chunk_items) return Damaged("has a chunk of impossible size");
    if (entry.form != ChunkForm::kSparse && entry.form != ChunkForm::kDense) return Damaged("has an unknown form");
    const bool dense = entry.form == ChunkForm::kDense;
    const size_t size = dense ? DenseChunk::Bytes(chunk_items) : SparseChunk::Bytes(entry.postings);
    if (entry.offset != offset || offset + size > end) return Damaged("has a chunk outside its bytes");
    if (!dense) {
      const SparseChunk chunk(list.base + entry.offset, entry.postings);
      if (!Rises(chunk.items, entry.postings)) return Damaged("has items out of order");
      if (chunk.items[entry.postings - 1] >= chunk_items) return Damaged("names an item out of range");
    }
    if (absl::Status status = CheckCounts(list, entry, chunk_items); !status.ok()) return status;
    offset += (size + 3) / 4 * 4;
    found += entry.postings;
  }
  if (offset != end) return Damaged("has bytes that belong to nothing");
  return found == postings ? absl::OkStatus() : Damaged("does not hold as many postings as it says");
}

}  // namespace

void EncodeList(absl::Span<const Posting> postings, const ItemLengths& lengths, std::string& out) {
  std::vector<LongNumber> long_counts;
  if (postings.size() <= kMostPackedPostings) {
    EncodePacked(postings, out, long_counts);
  } else {
    EncodeChunked(postings, lengths, out, long_counts);
  }
  Append(out, long_counts.data(), long_counts.size());
}

PostingList ViewList(absl::string_view bytes, uint32_t postings) {
  PostingList list;
  list.postings = postings;
  list.base = bytes.data();
  if (postings <= kMostPackedPostings) {
    const size_t end = postings * sizeof(uint32_t);
    list.packed = ViewArray<uint32_t>(bytes, 0, postings);
    list.long_counts = ViewArray<LongNumber>(bytes, end, (bytes.size() - end) / sizeof(LongNumber));
    return list;
  }
  ChunkedListHeader header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  list.chunks = ViewArray<ChunkEntry>(bytes, sizeof(header), header.chunks);
  list.long_counts =
      ViewArray<LongNumber>(bytes, bytes.size() - header.long_counts * sizeof(LongNumber), header.long_counts);
  return list;
}

absl::Status CheckList(absl::string_view bytes, uint32_t postings, uint32_t items) {
  if (postings == 0 || postings > items) return Damaged("says that it holds an impossible number of postings");
  return postings <= kMostPackedPostings ? CheckPacked(bytes, postings, items) : CheckChunked(bytes, postings, items);
}

}  // namespace kernelsmith::memory
