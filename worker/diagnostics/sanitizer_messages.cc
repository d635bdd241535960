#include "worker/diagnostics/sanitizer_messages.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "worker/diagnostics/message_list.h"
#include "worker/diagnostics/printable.h"

namespace kernelsmith::worker {
namespace {

struct CheckName {
  const char* says;
  const char* check;
};

constexpr CheckName kChecks[] = {
    {"hazard detected", "race"},
    {"misaligned", "misaligned"},
    {"uninitialized", "uninitialized"},
    {"out of bounds", "out_of_bounds"},
    {"illegal read", "out_of_bounds"},
    {"illegal write", "out_of_bounds"},
    {"illegal free", "leak"},
    {"LeakCheck", "leak"},
    {"Unpaired", "pairing"},
};

std::string Clean(absl::string_view text) { return Printable(text, kMaxDiagnosticText); }

// The word after `before` in the text, up to a blank or a colon; empty if there is none.
absl::string_view WordAfter(absl::string_view text, absl::string_view before) {
  const size_t at = text.find(before);
  if (at == absl::string_view::npos) return "";
  const absl::string_view rest = text.substr(at + before.size());
  return rest.substr(0, rest.find_first_of(" :,"));
}

void Begin(absl::string_view text, bool error, v1::Finding& finding) {
  finding.set_severity(error ? v1::Finding::ERROR : v1::Finding::NOTE);
  finding.set_check("sanitizer");
  for (const CheckName& entry : kChecks) {
    if (!absl::StrContains(text, entry.says)) continue;
    finding.set_check(entry.check);
    break;
  }
  finding.set_text(Clean(absl::StripSuffix(text, ":")));
  finding.set_count(1);
  int64_t bytes = 0;
  if (absl::SimpleAtoi(WordAfter(text, "of size "), &bytes)) finding.set_bytes(bytes);
  if (absl::StrContains(text, "detected at ")) finding.set_buffer(Clean(WordAfter(text, "detected at ")));
}

// "/path/kernel.cpp:55:9"
void Place(absl::string_view place, v1::Finding& finding) {
  const std::vector<absl::string_view> parts = absl::StrSplit(place, ':');
  int line = 0;
  if (finding.line() > 0 || parts.size() < 2 || !absl::SimpleAtoi(parts[1], &line)) return;
  finding.set_file(Clean(parts[0]));
  finding.set_line(line);
}

// "RAW()+0x10"
void HazardOffset(absl::string_view text, v1::Finding& finding) {
  const size_t at = text.find("()+0x");
  uint64_t offset = 0;
  if (at != absl::string_view::npos && absl::SimpleHexAtoi(WordAfter(text.substr(at), "()+"), &offset)) {
    finding.set_offset(static_cast<int64_t>(offset));
  }
}

void Continue(absl::string_view text, v1::Finding& finding) {
  if (absl::StartsWith(text, "at 0x")) {
    uint64_t address = 0;
    if (absl::SimpleHexAtoi(WordAfter(text, "at "), &address)) finding.set_offset(static_cast<int64_t>(address));
    finding.set_buffer(Clean(WordAfter(text, " on ")));
  } else if (absl::StartsWith(text, "in block ")) {
    finding.set_core(Clean(WordAfter(text, "in block ")));
  } else if (absl::ConsumePrefix(&text, "#")) {
    Place(text.substr(std::min(text.size(), text.find(' ') + 1)), finding);
  } else if (absl::StartsWith(text, "PIPE_")) {
    absl::StrAppend(&*finding.mutable_text(), finding.operation().empty() ? ": " : ", ", Clean(text));
    if (finding.operation().empty()) HazardOffset(text, finding);
    finding.set_operation(Clean(absl::StrCat(WordAfter(text, ""), " ", WordAfter(text, " "))));
  } else if (absl::StartsWith(text, "from PIPE_")) {
    absl::StrAppend(&*finding.mutable_text(), " ", Clean(text));
  }
}

}  // namespace

std::vector<v1::Finding> ParseSanitizerMessages(absl::string_view text) {
  std::vector<v1::Finding> findings;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!absl::ConsumePrefix(&line, "======")) continue;
    line = absl::StripAsciiWhitespace(line);
    const bool error = absl::ConsumePrefix(&line, "ERROR: ");
    if (error || absl::ConsumePrefix(&line, "WARNING: ")) {
      Begin(line, error, findings.emplace_back());
    } else if (!findings.empty()) {
      Continue(line, findings.back());
    }
  }
  return findings;
}

}  // namespace kernelsmith::worker
