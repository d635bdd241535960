// Near-duplicates among items that are no attempts: which of two texts say the same in almost the same words.
//
//   const std::string a = TextSignature("Align to 32 bytes.");
//   const std::string b = TextSignature("align  to 32 BYTES");
//   SameText(a, b);        // true: they differ in case, spacing and punctuation alone
//   SharedShare(a, b);     // 1
//   IsNearDuplicate(a, b);
//
// A signature is 40 bytes: 8 of a hash of the normalised text, then 32 minhashes (Broder 1997) of its shingles, one
// byte each (Li and König 2010). A shingle is 3 words in a row; a word is a run of ASCII letters, digits and
// underscores in lower case, or one character beyond ASCII, so that Chinese text has words too. Deterministic, the same
// on every platform.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace kernelsmith::memory {

constexpr size_t kSignatureHash = 8;        // bytes of the hash
constexpr size_t kSignatureMinhashes = 32;  // bytes behind it
constexpr size_t kSignatureSize = kSignatureHash + kSignatureMinhashes;
constexpr double kNearDuplicateShare = 0.9;  // of equal minhashes, an estimate of the Jaccard index of the shingles

// The words of `text`, joined by one blank.
std::string NormalisedText(absl::string_view text);

// kSignatureSize bytes. A text without a word has a signature that equals no other's but that of such a text.
std::string TextSignature(absl::string_view text);

// REQUIRES of all three: signatures of TextSignature.
bool SameText(absl::string_view a, absl::string_view b);
double SharedShare(absl::string_view a, absl::string_view b);
bool IsNearDuplicate(absl::string_view a, absl::string_view b);

}  // namespace kernelsmith::memory
