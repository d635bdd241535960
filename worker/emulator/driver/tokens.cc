#include "worker/emulator/driver/tokens.h"

#include <cctype>
#include <string>

namespace kernelsmith::emulator {
namespace {

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }
bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view source) : source_(source) {}

  TokenLists Run() {
    while (at_ < source_.size()) Step();
    return std::move(lists_);
  }

 private:
  char Peek(size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }

  void Step() {
    const char c = source_[at_];
    if (c == '\n') {
      ++at_;
      line_start_ = true;
      in_directive_ = false;
    } else if (c == '\\' && (Peek(1) == '\n' || (Peek(1) == '\r' && Peek(2) == '\n'))) {
      at_ += Peek(1) == '\n' ? 2 : 3;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at_;
    } else if (c == '/' && Peek(1) == '/') {
      SkipLineComment();
    } else if (c == '/' && Peek(1) == '*') {
      const size_t end = source_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? source_.size() : end + 2;
    } else if (c == '#' && line_start_) {
      ++at_;
      line_start_ = false;
      in_directive_ = true;
      lists_.directives.emplace_back();
    } else {
      line_start_ = false;
      TakeToken(c);
    }
  }

  void SkipLineComment() {
    while (at_ < source_.size() && source_[at_] != '\n') {
      if (source_[at_] == '\\' && Peek(1) == '\n') ++at_;
      ++at_;
    }
  }

  void TakeToken(char c) {
    const size_t start = at_;
    if (IsDigit(c)) {
      while (IsWord(Peek()) || Peek() == '.' || (Peek() == '\'' && IsWord(Peek(1)))) ++at_;
      return Push(TokenKind::kLiteral, start);
    }
    if (IsWord(c)) {
      while (IsWord(Peek())) ++at_;
      const std::string_view word = source_.substr(start, at_ - start);
      if (Peek() == '"' && !word.empty() && word.back() == 'R') return TakeRawString(start);
      return Push(TokenKind::kIdentifier, start);
    }
    if (c == '"' || c == '\'') {
      ++at_;
      while (at_ < source_.size() && source_[at_] != c && source_[at_] != '\n') at_ += source_[at_] == '\\' ? 2 : 1;
      if (Peek() == c) ++at_;
      at_ = std::min(at_, source_.size());
      return Push(TokenKind::kLiteral, start);
    }
    at_ += (c == ':' && Peek(1) == ':') ? 2 : 1;
    Push(TokenKind::kPunctuation, start);
  }

  void TakeRawString(size_t start) {
    const size_t open = source_.find('(', at_);
    if (open == std::string_view::npos) {
      at_ = source_.size();
      return;
    }
    std::string close(source_.substr(at_, open - at_ + 1));  // "delimiter(  becomes  )delimiter"
    close.front() = ')';
    close.back() = '"';
    const size_t end = source_.find(close, open);
    at_ = end == std::string_view::npos ? source_.size() : end + close.size();
    Push(TokenKind::kLiteral, start);
  }

  void Push(TokenKind kind, size_t start) {
    const Token token{kind, start, source_.substr(start, at_ - start)};
    (in_directive_ ? lists_.directives.back() : lists_.code).push_back(token);
  }

  std::string_view source_;
  size_t at_ = 0;
  bool line_start_ = true;
  bool in_directive_ = false;
  TokenLists lists_;
};

}  // namespace

TokenLists Tokenize(std::string_view source) { return Tokenizer(source).Run(); }

}  // namespace kernelsmith::emulator
