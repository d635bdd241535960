// C++ (and Ascend C) source as tokens: enough to count calls and compare statements, never to compile.
//
//   for (const Token& token : Tokenize("Add(z, x, y, n);  // sum")) ...   // Add ( z , x , y , n ) ;
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace kernelsmith::common {

struct Token {
  enum class Kind { kName, kNumber, kText, kSign, kDirective };
  Kind kind = Kind::kSign;
  // A name, a number or a string as written; a sign, of up to three characters; a preprocessor line without '#',
  // joined over its continuations.
  std::string text;
  bool Is(absl::string_view what) const { return kind != Kind::kText && text == what; }
};

// Comments are dropped. Never fails: a character that begins no token is a sign of its own.
std::vector<Token> Tokenize(absl::string_view source);

// Tokens from `begin` to before `end`, joined as one would write them: no blanks but between names and numbers, and
// around binary operators as they come.
std::string Join(const std::vector<Token>& tokens, size_t begin, size_t end);

// The index behind the sign that closes the bracket at `open`, one of ( [ { <. `<` closes only over what may stand in
// template arguments. The size of `tokens` if nothing closes it.
size_t BehindBracket(const std::vector<Token>& tokens, size_t open);

}  // namespace kernelsmith::common
