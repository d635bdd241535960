// A threshold to begin with. A search that starts from zero adds up every list until it has found enough items; the
// scores of a few items with the rarest terms tell beforehand what the last of the best will score at least.
#pragma once

#include <cstdint>
#include <roaring/roaring.hh>
#include <vector>

#include "absl/types/span.h"
#include "memory/retrieval/lexical/bm25.h"
#include "memory/retrieval/lexical/piece.h"
#include "memory/retrieval/lexical/query_term.h"

namespace kernelsmith::memory {

// A number that at least `limit` of the allowed items exceed in score; 0 if a sample does not tell. `terms` the rarest
// first, `weights` in the same order.
double FirstThreshold(absl::Span<const LexicalPiece* const> pieces, absl::Span<const QueryTerm> terms,
                      absl::Span<const TermWeight> weights, const LengthNorms& norms, const Roaring* allowed,
                      size_t limit);

}  // namespace kernelsmith::memory
