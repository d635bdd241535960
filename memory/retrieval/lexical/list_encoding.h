// The bytes of one posting list in a segment file (words of 4 bytes):
//
//   packed, at most 128 postings:  uint32[postings] | LongNumber[rest of the bytes]
//   chunked:  ChunkedListHeader | ChunkEntry[chunks] | chunks, each padded to 4 | LongNumber[long_counts]
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "memory/retrieval/lexical/posting_list.h"

namespace kernelsmith::memory {

// Appends the list of `postings` (not empty, by rising item) to `out`.
void EncodeList(absl::Span<const Posting> postings, const ItemLengths& lengths, std::string& out);

// A view on the encoded list. REQUIRES: CheckList passed for these bytes; they lie at a multiple of 4.
PostingList ViewList(absl::string_view bytes, uint32_t postings);

// Whether every offset, item and count of the list is in order for a piece of `items` items. DATA_LOSS otherwise.
absl::Status CheckList(absl::string_view bytes, uint32_t postings, uint32_t items);

}  // namespace kernelsmith::memory
