#include "worker/diagnostics/message_list.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "worker/diagnostics/printable.h"

namespace kernelsmith::worker {

void AddLinkerLine(absl::string_view line, std::vector<v1::Diagnostic>& found) {
  if (!absl::StrContains(line, "error:") && !absl::StrContains(line, "undefined reference") &&
      !absl::StrContains(line, "multiple definition") && !absl::StrContains(line, "undefined symbol") &&
      !absl::StrContains(line, "Error:")) {
    return;
  }
  v1::Diagnostic diagnostic;
  diagnostic.set_severity(v1::Diagnostic::ERROR);
  diagnostic.set_text(Printable(line, kMaxDiagnosticText));
  found.push_back(std::move(diagnostic));
}

std::vector<v1::Diagnostic> ErrorsFirst(std::vector<v1::Diagnostic> found, int limit) {
  std::stable_sort(found.begin(), found.end(), [](const v1::Diagnostic& a, const v1::Diagnostic& b) {
    return std::min(a.severity(), v1::Diagnostic::ERROR) > std::min(b.severity(), v1::Diagnostic::ERROR);
  });
  if (found.size() > static_cast<size_t>(limit)) found.resize(static_cast<size_t>(limit));
  return found;
}

}  // namespace kernelsmith::worker
