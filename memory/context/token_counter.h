// How many tokens of the model's window a text takes. A count must not be below what the model's own tokenizer says,
// because a prompt that overflows its window is an error, while a little unused room costs nothing.
//
//   ASSIGN_OR_RETURN(std::unique_ptr<TokenCounter> counter, MakeTokenCounter(config.token_counting()));  // see
//   make_token_counter.h
//   counter->Count("int ks_kernel(const ks_call* call)");
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace kernelsmith::memory {

struct TokenCount {
  int64_t tokens = 0;
  bool stood_in = false;  // the conservative count stands in, because the counter could not count
};

// Thread-safe. Counting never fails: a counter that cannot count takes the conservative count and says so.
class TokenCounter {
 public:
  virtual ~TokenCounter() = default;
  virtual TokenCount Measure(absl::string_view text) const = 0;
  // For logs and replies, for example "conservative" or "sentencepiece (tokenizer.model)".
  virtual const std::string& name() const = 0;

  int64_t Count(absl::string_view text) const { return Measure(text).tokens; }
};

// Counts without the model's tokenizer, by class of character; checked against byte-pair tokenizers in
// tests/memory/context. Letters count by runs: one token for three small or two capital letters, more in a run without
// a vowel, which is no word; digits, punctuation and line breaks one each; a blank before a digit one, other blanks one
// for four; other scripts three for four bytes. On source code and English prose this comes to about 1.7 times the real
// count.
class ConservativeTokenCounter : public TokenCounter {
 public:
  TokenCount Measure(absl::string_view text) const override;
  const std::string& name() const override;
};

}  // namespace kernelsmith::memory
