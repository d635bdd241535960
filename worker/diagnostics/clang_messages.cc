#include "worker/diagnostics/clang_messages.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "worker/diagnostics/message_list.h"
#include "worker/diagnostics/printable.h"

namespace kernelsmith::worker {
namespace {

constexpr std::array<std::pair<const char*, v1::Diagnostic::Severity>, 4> kKinds = {{
    {": fatal error: ", v1::Diagnostic::FATAL},
    {": error: ", v1::Diagnostic::ERROR},
    {": warning: ", v1::Diagnostic::WARNING},
    {": note: ", v1::Diagnostic::NOTE},
}};

// Takes "...:<number>" off the end of `place`; 0 if there is none.
int TakeNumber(absl::string_view& place) {
  const size_t colon = place.rfind(':');
  int number = 0;
  if (colon == absl::string_view::npos || !absl::SimpleAtoi(place.substr(colon + 1), &number)) return 0;
  place = place.substr(0, colon);
  return number;
}

// "text [-Wflag]" or "text [-Wflag,-Wother]".
void SetText(absl::string_view text, v1::Diagnostic& diagnostic) {
  const size_t open = text.rfind(" [-");
  if (open != absl::string_view::npos && absl::EndsWith(text, "]")) {
    diagnostic.set_rule(Printable(text.substr(open + 2, text.size() - open - 3), kMaxDiagnosticText));
    text = text.substr(0, open);
  }
  diagnostic.set_text(Printable(text, kMaxDiagnosticText));
}

bool ParseLine(absl::string_view line, absl::string_view prefix, v1::Diagnostic& diagnostic) {
  for (const auto& [kind, severity] : kKinds) {
    const size_t at = line.find(kind);
    if (at == absl::string_view::npos) continue;
    absl::string_view place = line.substr(0, at);
    const int last = TakeNumber(place);
    if (last == 0) return false;
    const int first = TakeNumber(place);
    diagnostic.set_line(first > 0 ? first : last);
    diagnostic.set_column(first > 0 ? last : 0);
    absl::ConsumePrefix(&place, "./");
    diagnostic.set_file(Printable(absl::StripPrefix(place, prefix), kMaxDiagnosticText));
    diagnostic.set_severity(severity);
    SetText(line.substr(at + absl::string_view(kind).size()), diagnostic);
    return true;
  }
  return false;
}

bool Same(const v1::Diagnostic& a, const v1::Diagnostic& b) {
  return a.severity() == b.severity() && a.file() == b.file() && a.line() == b.line() && a.column() == b.column() &&
         a.text() == b.text();
}

}  // namespace

std::vector<v1::Diagnostic> ParseClangMessages(absl::string_view text, absl::string_view prefix, int limit) {
  std::vector<v1::Diagnostic> found;
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipWhitespace())) {
    std::vector<v1::Diagnostic> one(1);
    if (!ParseLine(line, prefix, one.front())) {
      one.clear();
      AddLinkerLine(line, one);
    }
    for (v1::Diagnostic& diagnostic : one) {
      const bool known =
          std::any_of(found.begin(), found.end(), [&](const v1::Diagnostic& d) { return Same(d, diagnostic); });
      if (!known) found.push_back(std::move(diagnostic));
    }
  }
  return ErrorsFirst(std::move(found), limit);
}

}  // namespace kernelsmith::worker
