// The best items of one piece, by MaxScore over windows of 4096 items with bounds of blocks.
//
// Windows go from the last to the first, so that of two equal scores the later one is there first. In a window, with
// the query's terms from the rarest to the most frequent:
//   1. The bounds of the last terms are summed as far as the sum cannot lift an item above the threshold. Those terms
//      are optional: an item needs one of the others, the needed ones.
//   2. All postings of the needed terms are added up in an array of one sum per item of the window.
//   3. Items whose sum plus the bounds of the optional terms stays below the threshold go; the others are looked up in
//      one optional list after the other, and go as soon as they cannot reach the threshold.
// A sum takes its parts in the order of terms on every path, so it is exact, not an estimate. If few items are allowed,
// the allowed ones of the window take the place of steps 2 and 3's first test.
#pragma once

#include "absl/types/span.h"
#include "memory/retrieval/lexical/allowed_items.h"
#include "memory/retrieval/lexical/best_items.h"
#include "memory/retrieval/lexical/bm25.h"
#include "memory/retrieval/lexical/piece.h"

namespace kernelsmith::memory {

// `lists[i]` of `piece` is that of the term with `weights[i]`, the rarest first. Offers item numbers of the index.
void SearchPiece(const LexicalPiece& piece, absl::Span<const PostingList> lists, absl::Span<const TermWeight> weights,
                 const LengthNorms& norms, const AllowedItems& allowed, BestItems& best);

}  // namespace kernelsmith::memory
