#include "common/coldstart/code_tokens.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace kernelsmith::common {
namespace {

bool NameStart(char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool NamePart(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Longest first. No ">>": it also closes two template lists.
constexpr std::array<absl::string_view, 22> kSigns = {
    "<<=", "...", "->*", "<<", "<=", ">=", "==", "!=", "&&", "||", "++",
    "--",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "->", "::"};

class Reader {
 public:
  explicit Reader(absl::string_view source) : source_(source) {}

  std::vector<Token> Read() {
    while (at_ < source_.size()) Step();
    return std::move(tokens_);
  }

 private:
  char Peek(size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }

  void Add(Token::Kind kind, size_t length) {
    const absl::string_view text = source_.substr(at_, length);
    tokens_.push_back({kind, std::string(text)});
    at_ += text.size();
    line_start_ = false;
  }

  void Step() {
    const char c = Peek();
    if (c == '\n') {
      line_start_ = true;
      ++at_;
    } else if (absl::ascii_isspace(static_cast<unsigned char>(c))) {
      ++at_;
    } else if (c == '/' && Peek(1) == '/') {
      at_ = std::min(source_.find('\n', at_), source_.size());
    } else if (c == '/' && Peek(1) == '*') {
      const size_t end = source_.find("*/", at_ + 2);
      at_ = end == absl::string_view::npos ? source_.size() : end + 2;
    } else if (c == '#' && line_start_) {
      Directive();
    } else if (c == 'R' && Peek(1) == '"') {
      RawText();
    } else if (c == '"' || c == '\'') {
      Text(c);
    } else if (NameStart(c)) {
      size_t length = 1;
      while (NamePart(Peek(length))) ++length;
      Add(Token::Kind::kName, length);
    } else if (absl::ascii_isdigit(static_cast<unsigned char>(c)) ||
               (c == '.' && absl::ascii_isdigit(static_cast<unsigned char>(Peek(1))))) {
      Number();
    } else {
      Sign();
    }
  }

  void Directive() {
    std::string text;
    ++at_;
    while (at_ < source_.size() && Peek() != '\n') {
      if (Peek() == '\\' && Peek(1) == '\n') {
        text += ' ';
        at_ += 2;
      } else if (Peek() == '/' && (Peek(1) == '/' || Peek(1) == '*')) {
        break;  // the comment is read as everywhere
      } else {
        text += source_[at_++];
      }
    }
    tokens_.push_back({Token::Kind::kDirective, std::string(absl::StripAsciiWhitespace(text))});
  }

  void RawText() {
    const size_t open = source_.find('(', at_);
    const size_t line = source_.find('\n', at_);
    if (open == absl::string_view::npos || open > line) return Add(Token::Kind::kName, 1);
    const std::string close = absl::StrCat(")", source_.substr(at_ + 2, open - at_ - 2), "\"");
    const size_t end = source_.find(absl::string_view(close), open);
    Add(Token::Kind::kText, end == absl::string_view::npos ? source_.size() - at_ : end + close.size() - at_);
  }

  void Text(char quote) {
    size_t length = 1;
    while (at_ + length < source_.size() && Peek(length) != quote && Peek(length) != '\n') {
      length += Peek(length) == '\\' ? 2 : 1;
    }
    Add(Token::Kind::kText, length + (Peek(length) == quote ? 1 : 0));
  }

  void Number() {
    size_t length = 1;
    while (NamePart(Peek(length)) || Peek(length) == '.' || (Peek(length) == '\'' && NamePart(Peek(length + 1))) ||
           ((Peek(length) == '+' || Peek(length) == '-') &&
            absl::StrContains("eEpP", std::string(1, Peek(length - 1))) &&
            !(Peek() == '0' && (Peek(1) == 'x' || Peek(1) == 'X') && Peek(length - 1) != 'p'))) {
      ++length;
    }
    Add(Token::Kind::kNumber, length);
  }

  void Sign() {
    for (const absl::string_view sign : kSigns) {
      if (absl::StartsWith(source_.substr(at_), sign)) return Add(Token::Kind::kSign, sign.size());
    }
    Add(Token::Kind::kSign, 1);
  }

  absl::string_view source_;
  size_t at_ = 0;
  bool line_start_ = true;
  std::vector<Token> tokens_;
};

bool IsWord(const Token& token) { return token.kind == Token::Kind::kName || token.kind == Token::Kind::kNumber; }

bool IsBinary(const Token& token) {
  constexpr std::array<absl::string_view, 17> kSpaced = {
      "=", "+=", "-=", "*=", "/=", "%=", "==", "!=", "<=", ">=", "&&", "||", "?", "+", "/", "|", "<<"};
  return token.kind == Token::Kind::kSign &&
         std::any_of(kSpaced.begin(), kSpaced.end(), [&](absl::string_view sign) { return token.text == sign; });
}

}  // namespace

std::vector<Token> Tokenize(absl::string_view source) { return Reader(source).Read(); }

std::string Join(const std::vector<Token>& tokens, size_t begin, size_t end) {
  std::string text;
  for (size_t i = begin; i < end && i < tokens.size(); ++i) {
    if (i > begin) {
      const Token& before = tokens[i - 1];
      const bool words = IsWord(before) && (IsWord(tokens[i]) || tokens[i].kind == Token::Kind::kText);
      if (words || before.Is(",") || before.Is(";") || IsBinary(before) || IsBinary(tokens[i])) text += ' ';
    }
    text += tokens[i].text;
  }
  return text;
}

size_t BehindBracket(const std::vector<Token>& tokens, size_t open) {
  const std::string& opening = tokens[open].text;
  const std::string closing = opening == "(" ? ")" : opening == "[" ? "]" : opening == "{" ? "}" : ">";
  int depth = 0;
  for (size_t i = open; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (opening == "<" && (token.Is(";") || token.Is("{") || token.Is("}") || token.Is("&&") || token.Is("||"))) break;
    if (token.Is(opening)) ++depth;
    if (token.Is(closing) && --depth == 0) return i + 1;
  }
  return tokens.size();
}

}  // namespace kernelsmith::common
