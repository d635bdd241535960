// Words of C++ source text, as far as finding specifiers needs them: comments and literals are told apart, nothing is
// expanded. A preprocessor directive is a list of its own, because code runs on across it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kernelsmith::emulator {

enum class TokenKind : uint8_t { kIdentifier, kLiteral, kPunctuation };

struct Token {
  TokenKind kind;
  size_t offset;
  std::string_view text;
};

struct TokenLists {
  std::vector<Token> code;
  std::vector<std::vector<Token>> directives;  // without '#': {"define", "KERNEL", ...}
};

// `source` must outlive the result. Unterminated comments and literals end with the text.
TokenLists Tokenize(std::string_view source);

}  // namespace kernelsmith::emulator
