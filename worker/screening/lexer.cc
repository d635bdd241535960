#include "worker/screening/lexer.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace kernelsmith::worker {
namespace {

class Lexer {
 public:
  explicit Lexer(absl::string_view source) : source_(source) { result_.code = std::string(source); }

  LexedSource Run() {
    while (at_ < source_.size()) {
      if (StartsWith("//")) {
        Blank(LineCommentEnd());
      } else if (StartsWith("/*")) {
        const size_t end = source_.find("*/", at_ + 2);
        Blank(end == absl::string_view::npos ? source_.size() : end + 2);
      } else if (Peek() == '"') {
        StringOrRaw();
      } else if (Peek() == '\'' && !IsDigitSeparator()) {
        Quoted('\'', /*keep=*/false);
      } else {
        ++at_;
      }
    }
    return std::move(result_);
  }

 private:
  char Peek() const { return source_[at_]; }
  bool StartsWith(absl::string_view text) const { return source_.substr(at_, text.size()) == text; }

  // A backslash before the end of the line continues a comment.
  size_t LineCommentEnd() const {
    size_t end = at_;
    while (end < source_.size() && (source_[end] != '\n' || source_[end - 1] == '\\')) ++end;
    return end;
  }

  bool IsDigitSeparator() const {
    return at_ > 0 && at_ + 1 < source_.size() && absl::ascii_isxdigit(static_cast<unsigned char>(source_[at_ - 1])) &&
           absl::ascii_isxdigit(static_cast<unsigned char>(source_[at_ + 1])) && PrecededByNumber();
  }

  // The word before the apostrophe begins with a digit: 1'000, not u'x'.
  bool PrecededByNumber() const {
    size_t begin = at_;
    while (begin > 0 && (absl::ascii_isalnum(static_cast<unsigned char>(source_[begin - 1])) ||
                         source_[begin - 1] == '\'' || source_[begin - 1] == '.')) {
      --begin;
    }
    return absl::ascii_isdigit(static_cast<unsigned char>(source_[begin]));
  }

  void Blank(size_t end) {
    for (size_t i = at_; i < end; ++i) {
      if (result_.code[i] != '\n') result_.code[i] = ' ';
    }
    at_ = end;
  }

  int Line(size_t position) const {
    return 1 + static_cast<int>(std::count(source_.begin(), source_.begin() + static_cast<ptrdiff_t>(position), '\n'));
  }

  void StringOrRaw() {
    const bool raw =
        at_ > 0 && source_[at_ - 1] == 'R' &&
        (at_ < 2 || !absl::ascii_isalnum(static_cast<unsigned char>(source_[at_ - 2])) || source_[at_ - 2] == 'u' ||
         source_[at_ - 2] == 'U' || source_[at_ - 2] == 'L' || source_[at_ - 2] == '8');
    const size_t open = raw ? source_.find('(', at_) : absl::string_view::npos;
    if (open == absl::string_view::npos || open - at_ > 17) {
      Quoted('"', /*keep=*/true);
      return;
    }
    const std::string close = absl::StrCat(")", source_.substr(at_ + 1, open - at_ - 1), "\"");
    const size_t found = source_.find(close, open);
    const size_t end = found == absl::string_view::npos ? source_.size() : found;
    result_.strings.push_back({Line(at_), std::string(source_.substr(open + 1, end - open - 1))});
    ++at_;
    Blank(std::min(source_.size(), end + close.size() - 1));
    at_ = std::min(source_.size(), at_ + 1);
  }

  void Quoted(char quote, bool keep) {
    size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != quote && source_[end] != '\n') {
      if (source_[end] == '\\' && end + 1 < source_.size()) ++end;
      ++end;
    }
    end = std::min(end, source_.size());
    if (keep) result_.strings.push_back({Line(at_), std::string(source_.substr(at_ + 1, end - at_ - 1))});
    ++at_;
    Blank(end);
    at_ = std::min(source_.size(), at_ + 1);
  }

  const absl::string_view source_;
  size_t at_ = 0;
  LexedSource result_;
};

}  // namespace

LexedSource LexCpp(absl::string_view source) { return Lexer(source).Run(); }

}  // namespace kernelsmith::worker
