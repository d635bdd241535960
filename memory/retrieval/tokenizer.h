// Terms of a text: identifiers whole and in parts, so that "DataCopyPad" is found by its name and by "pad".
//
//   Tokenize("DataCopyPad")      // datacopypad data copy pad
//   Tokenize("ks_call::n_dims")  // ks_call::n_dims ks_call ks call n_dims n dims
//   Tokenize("error EZ9999")     // error ez9999 ez 9999
//   Tokenize("向量加法")          // 向量 量加 加法
//
// ASCII is lower-cased. Runs of Chinese, Japanese or Korean characters become bigrams (a single one stays as it is). A
// term of more than 64 bytes is dropped: it is data, not a word.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace kernelsmith::memory {

constexpr size_t kLongestTerm = 64;  // bytes

// Terms of one text, for reuse from text to text. The terms are views into `lowered`.
struct TermBuffer {
  std::string lowered;
  std::vector<absl::string_view> terms;  // in the order of appearance, repetitions included
};

// Replaces what `buffer` holds by the terms of `text`. Bytes that are no UTF-8 separate terms.
void Tokenize(absl::string_view text, TermBuffer& buffer);

// The same as strings of their own.
std::vector<std::string> Tokenize(absl::string_view text);

}  // namespace kernelsmith::memory
