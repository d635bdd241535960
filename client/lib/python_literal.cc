#include "client/lib/python_literal.h"

#include <cctype>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/status.h"

namespace kernelsmith::client {
namespace {

constexpr int kMostDepth = 32;

bool IsDigit(char c, int base) {
  if (base == 16) return std::isxdigit(static_cast<unsigned char>(c)) != 0;
  return c >= '0' && c < '0' + base;
}
bool IsNamePart(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class Parser {
 public:
  explicit Parser(absl::string_view text) : rest_(text) {}

  absl::Status Whole() {
    if (rest_.empty()) return Wrong("there is no value");
    RETURN_IF_ERROR(Value(0));
    // "2, 3" is a tuple without brackets.
    while (Take(",")) {
      if (SkipBlanks(), rest_.empty()) return absl::OkStatus();
      RETURN_IF_ERROR(Value(0));
    }
    SkipBlanks();
    return rest_.empty() ? absl::OkStatus() : Wrong(absl::StrCat("'", rest_, "' does not belong to a value"));
  }

 private:
  static absl::Status Wrong(absl::string_view what) { return common::InvalidField("value", what); }
  void SkipBlanks() { rest_ = absl::StripLeadingAsciiWhitespace(rest_); }
  bool Take(absl::string_view text) {
    SkipBlanks();
    return absl::ConsumePrefix(&rest_, text);
  }
  char Peek(size_t ahead = 0) const { return ahead < rest_.size() ? rest_[ahead] : '\0'; }

  absl::Status Value(int depth) {
    SkipBlanks();
    if (depth > kMostDepth) return Wrong("the brackets are nested too deeply");
    if (Take("(")) return Elements(")", depth);
    if (Take("[")) return Elements("]", depth);
    if (Peek() == '"' || Peek() == '\'') return Strings();
    if (Peek() == '+' || Peek() == '-') {
      rest_.remove_prefix(1);
      SkipBlanks();
      return Number();
    }
    if (std::isdigit(static_cast<unsigned char>(Peek())) != 0 || Peek() == '.') return Number();
    return Name();
  }

  absl::Status Elements(absl::string_view close, int depth) {
    while (!Take(close)) {
      if (rest_.empty()) return Wrong(absl::StrCat("'", close, "' is missing"));
      RETURN_IF_ERROR(Value(depth + 1));
      if (Take(",")) continue;
      if (!Take(close)) return Wrong(absl::StrCat("'", close, "' is missing"));
      break;
    }
    return absl::OkStatus();
  }

  // Strings side by side are one.
  absl::Status Strings() {
    while (Peek() == '"' || Peek() == '\'') {
      const std::string quote(1, Peek());
      const std::string triple = quote + quote + quote;
      const std::string& mark = absl::StartsWith(rest_, triple) ? triple : quote;
      rest_.remove_prefix(mark.size());
      while (!absl::StartsWith(rest_, mark)) {
        if (rest_.empty() || (mark.size() == 1 && Peek() == '\n')) return Wrong(absl::StrCat(mark, " is missing"));
        rest_.remove_prefix(Peek() == '\\' && rest_.size() > 1 ? 2 : 1);
      }
      rest_.remove_prefix(mark.size());
      SkipBlanks();
    }
    return absl::OkStatus();
  }

  absl::Status Name() {
    size_t length = 0;
    while (IsNamePart(Peek(length))) ++length;
    const absl::string_view name = rest_.substr(0, length);
    if (name != "True" && name != "False" && name != "None") {
      return Wrong(absl::StrCat("'", length > 0 ? name : rest_.substr(0, 1), "' is no value"));
    }
    rest_.remove_prefix(length);
    return absl::OkStatus();
  }

  // Digits with single underscores between them; how many characters.
  size_t Digits(size_t from, int base) const {
    size_t at = from;
    while (IsDigit(Peek(at), base) || (Peek(at) == '_' && at > from && IsDigit(Peek(at + 1), base))) ++at;
    return at - from;
  }

  absl::Status Number() {
    const absl::string_view whole = rest_;
    const auto wrong = [&] {
      size_t length = 0;
      while (length < whole.size() && (IsNamePart(whole[length]) || whole[length] == '.')) ++length;
      return Wrong(absl::StrCat("'", whole.substr(0, length), "' is no number"));
    };
    size_t length = 0;
    const char mark = static_cast<char>(std::tolower(static_cast<unsigned char>(Peek(1))));
    const int base = Peek() != '0' ? 10 : mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
    if (base != 10) {
      const size_t digits = Digits(2, base);
      if (digits == 0) return wrong();
      length = 2 + digits;
    } else {
      const size_t integer = Digits(0, 10);
      length = integer;
      size_t fraction = 0;
      const bool point = Peek(length) == '.';
      if (point) length += 1 + (fraction = Digits(length + 1, 10));
      if (integer + fraction == 0) return wrong();
      bool exponent = false;
      if (Peek(length) == 'e' || Peek(length) == 'E') {
        const size_t sign = Peek(length + 1) == '+' || Peek(length + 1) == '-' ? 1 : 0;
        const size_t digits = Digits(length + 1 + sign, 10);
        if (digits == 0) return wrong();
        length += 1 + sign + digits;
        exponent = true;
      }
      // 007 is no number in Python, 00 and 007.5 are.
      const bool zeros = rest_.substr(0, integer).find_first_not_of("0_") == absl::string_view::npos;
      if (!point && !exponent && integer > 1 && Peek() == '0' && !zeros) return wrong();
    }
    if (IsNamePart(Peek(length)) || Peek(length) == '.') return wrong();
    rest_.remove_prefix(length);
    return absl::OkStatus();
  }

  absl::string_view rest_;
};

}  // namespace

absl::Status CheckPythonLiteral(absl::string_view text) { return Parser(text).Whole(); }

}  // namespace kernelsmith::client
