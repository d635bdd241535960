#include "memory/retrieval/lexical/posting_list.h"

#include <algorithm>

#include "memory/retrieval/lexical/lower_bound.h"

namespace kernelsmith::memory {
namespace {

uint32_t PackedCount(const PostingList& list, uint32_t item) {
  const uint32_t place = LowerBound(list.packed.data(), list.postings, item << 8);
  if (place == list.postings || list.packed[place] >> 8 != item) return 0;
  const uint32_t count = list.packed[place] & 0xff;
  return count == kLongPackedCount ? FindLongNumber(list.long_counts, item) : count;
}

uint32_t ChunkCount(const PostingList& list, const ChunkEntry& entry, uint32_t item) {
  const uint32_t low = item % kItemsOfChunk;
  uint32_t count = 0;
  if (entry.form == ChunkForm::kDense) {
    count = NibbleAt(DenseChunk(list.base + entry.offset).counts, low);
  } else {
    const SparseChunk chunk(list.base + entry.offset, entry.postings);
    const uint32_t place = LowerBound(chunk.items, entry.postings, low);
    if (place == entry.postings || chunk.items[place] != low) return 0;
    count = NibbleAt(chunk.counts, place);
  }
  return count == kLongChunkCount ? FindLongNumber(list.long_counts, item) : count;
}

void AppendChunk(const PostingList& list, const ChunkEntry& entry, uint32_t shift, std::vector<Posting>& out) {
  const uint32_t begin = entry.chunk * kItemsOfChunk;
  const auto add = [&](uint32_t low, uint32_t count) {
    const uint32_t item = begin + low;
    out.push_back({item + shift, count == kLongChunkCount ? FindLongNumber(list.long_counts, item) : count});
  };
  if (entry.form == ChunkForm::kSparse) {
    const SparseChunk chunk(list.base + entry.offset, entry.postings);
    for (uint32_t i = 0; i < entry.postings; ++i) add(chunk.items[i], NibbleAt(chunk.counts, i));
    return;
  }
  const DenseChunk chunk(list.base + entry.offset);
  uint32_t left = entry.postings;
  for (uint32_t low = 0; left > 0; ++low) {
    if (const uint32_t count = NibbleAt(chunk.counts, low); count != 0) {
      add(low, count);
      --left;
    }
  }
}

}  // namespace

uint32_t CountOf(const PostingList& list, uint32_t item) {
  if (list.empty()) return 0;
  if (!list.packed.empty()) return PackedCount(list, item);
  const auto* const entry = std::lower_bound(list.chunks.begin(), list.chunks.end(), item / kItemsOfChunk,
                                             [](const ChunkEntry& a, uint32_t chunk) { return a.chunk < chunk; });
  if (entry == list.chunks.end() || entry->chunk != item / kItemsOfChunk) return 0;
  return ChunkCount(list, *entry, item);
}

void AppendPostings(const PostingList& list, uint32_t shift, std::vector<Posting>& out) {
  for (const uint32_t posting : list.packed) {
    const uint32_t item = posting >> 8;
    const uint32_t count = posting & 0xff;
    out.push_back({item + shift, count == kLongPackedCount ? FindLongNumber(list.long_counts, item) : count});
  }
  for (const ChunkEntry& entry : list.chunks) AppendChunk(list, entry, shift, out);
}

void AppendSomeItems(const PostingList& list, size_t count, std::vector<uint32_t>& out) {
  const size_t full = out.size() + count;
  for (size_t i = list.packed.size(); i-- > 0 && out.size() < full;) out.push_back(list.packed[i] >> 8);
  for (size_t i = list.chunks.size(); i-- > 0 && out.size() < full;) {
    const ChunkEntry& entry = list.chunks[i];
    const uint32_t begin = entry.chunk * kItemsOfChunk;
    if (entry.form == ChunkForm::kSparse) {
      const SparseChunk chunk(list.base + entry.offset, entry.postings);
      for (uint32_t k = entry.postings; k-- > 0 && out.size() < full;) out.push_back(begin + chunk.items[k]);
    } else {
      const DenseChunk chunk(list.base + entry.offset);
      uint32_t left = entry.postings;
      for (uint32_t low = 0; left > 0 && out.size() < full; ++low) {
        if (NibbleAt(chunk.counts, low) == 0) continue;
        out.push_back(begin + low);
        --left;
      }
    }
  }
}

}  // namespace kernelsmith::memory
