#include "worker/diagnostics/gcc_messages.h"

#include <nlohmann/json.hpp>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "worker/diagnostics/message_list.h"
#include "worker/diagnostics/printable.h"

namespace kernelsmith::worker {
namespace {

using Json = nlohmann::json;

v1::Diagnostic::Severity SeverityOf(absl::string_view kind) {
  if (kind == "error" || kind == "sorry, unimplemented") return v1::Diagnostic::ERROR;
  if (kind == "fatal error" || kind == "internal compiler error") return v1::Diagnostic::FATAL;
  return kind == "warning" ? v1::Diagnostic::WARNING : v1::Diagnostic::NOTE;
}

std::string StringAt(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

void SetPlace(const Json& message, absl::string_view prefix, v1::Diagnostic& diagnostic) {
  const auto locations = message.find("locations");
  if (locations == message.end() || !locations->is_array() || locations->empty()) return;
  const auto caret = (*locations)[0].find("caret");
  if (caret == (*locations)[0].end() || !caret->is_object()) return;
  const std::string file = StringAt(*caret, "file");
  diagnostic.set_file(Printable(absl::StripPrefix(file, prefix), kMaxDiagnosticText));
  const auto number = [&caret](const char* key) {
    const auto found = caret->find(key);
    return found != caret->end() && found->is_number_integer() ? found->get<int>() : 0;
  };
  diagnostic.set_line(number("line"));
  diagnostic.set_column(number("column"));
}

void AddMessages(const Json& array, absl::string_view prefix, std::vector<v1::Diagnostic>& out) {
  for (const Json& message : array) {
    if (!message.is_object()) continue;
    v1::Diagnostic diagnostic;
    diagnostic.set_severity(SeverityOf(StringAt(message, "kind")));
    diagnostic.set_text(Printable(StringAt(message, "message"), kMaxDiagnosticText));
    diagnostic.set_rule(Printable(StringAt(message, "option"), kMaxDiagnosticText));
    SetPlace(message, prefix, diagnostic);
    out.push_back(std::move(diagnostic));
    const auto children = message.find("children");
    if (children != message.end() && children->is_array()) AddMessages(*children, prefix, out);
  }
}

}  // namespace

std::vector<v1::Diagnostic> ParseGccMessages(absl::string_view text, absl::string_view prefix, int limit) {
  std::vector<v1::Diagnostic> found;
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipWhitespace())) {
    if (absl::StartsWith(line, "[")) {
      const Json json = Json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
      if (json.is_array()) {
        AddMessages(json, prefix, found);
        continue;
      }
    }
    AddLinkerLine(line, found);
  }
  return ErrorsFirst(std::move(found), limit);
}

}  // namespace kernelsmith::worker
