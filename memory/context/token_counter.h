// Counts tokens of a text without the model's tokenizer. The estimate is conservative: it must not be below what the
// tokenizers in use would say, because a prompt that overflows its window is an error, while a little unused room costs
// nothing.
//
//   const ConservativeTokenCounter counter;
//   counter.Count("int ks_kernel(const ks_call* call)");
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"

namespace kernelsmith::memory {

class TokenCounter {
 public:
  virtual ~TokenCounter() = default;
  // Thread-safe.
  virtual int64_t Count(absl::string_view text) const = 0;
};

// By class of character, checked against byte-pair tokenizers in tests/memory/context. Letters count by runs: one token
// for three small or two capital letters, more in a run without a vowel, which is no word; digits, punctuation and line
// breaks one each; a blank before a digit one, other blanks one for four; other scripts three for four bytes. On source
// code and English prose this comes to about 1.7 times the real count.
class ConservativeTokenCounter : public TokenCounter {
 public:
  int64_t Count(absl::string_view text) const override;
};

}  // namespace kernelsmith::memory
