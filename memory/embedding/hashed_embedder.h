// The embedded embedder: hashed terms and character n-grams. Needs nothing, never fails, and gives the same numbers on
// every machine.
//
// Of a text: every different term as search splits it (memory/retrieval/tokenizer.h: identifiers whole and in parts,
// bigrams of Chinese), and of each term its character n-grams of 3 to 5 with "<" and ">" at its ends (of an ideographic
// term: its characters), so that "DataCopyPad" is near "data_copy" and near "datacopypad2". A term that occurs n times
// weighs 1 + ln n; its n-grams together weigh as much. Each feature is added, with a sign, to one of 384 sums ("the
// hashing trick", Weinberger et al., 2009); the sums are integers until they are scaled to length 1.
#pragma once

#include <string>
#include <vector>

#include "memory/embedding/embedder.h"

namespace kernelsmith::memory {

class HashedEmbedder : public Embedder {
 public:
  static constexpr int kDimensions = 384;

  const std::string& id() const override { return id_; }
  int dimensions() const override { return kDimensions; }
  // Always ok. A text without terms gets a vector too: the same for all such texts.
  absl::StatusOr<std::vector<Vector>> Embed(absl::Span<const absl::string_view> texts) override;
  absl::StatusOr<Vector> EmbedQuery(absl::string_view text) override;

 private:
  // The number grows when any text's vector changes, be it through the tokenizer.
  const std::string id_ = "hashed-1/384";
};

}  // namespace kernelsmith::memory
