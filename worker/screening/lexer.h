// Splits C++ text into what the screen looks at: code with comments and literals blanked out, and the string literals
// with their lines. Understands line and block comments, strings with escapes, raw strings, characters, digit
// separators and line continuations. Pure.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace kernelsmith::worker {

struct StringLiteral {
  int line = 0;      // from 1
  std::string text;  // between the quotes, escapes not resolved
};

struct LexedSource {
  std::string code;  // same length and lines as the source; comments and literals are spaces, quotes stay
  std::vector<StringLiteral> strings;
};

LexedSource LexCpp(absl::string_view source);

}  // namespace kernelsmith::worker
