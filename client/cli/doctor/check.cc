#include "client/cli/doctor/check.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace kernelsmith::client {

std::string VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk:
      return "ok";
    case Verdict::kWarn:
      return "warn";
    case Verdict::kFail:
      return "FAIL";
  }
  return "";
}

std::string FindingsText(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    absl::StrAppendFormat(&text, "%-4s  %-16s  %s\n", VerdictName(finding.verdict), finding.name, finding.detail);
    if (!finding.advice.empty()) absl::StrAppend(&text, "      -> ", finding.advice, "\n");
  }
  return text;
}

std::string FindingsJson(const std::vector<Finding>& findings) {
  nlohmann::ordered_json document = {{"ok", !AnyFailed(findings)}, {"findings", nlohmann::ordered_json::array()}};
  for (const Finding& finding : findings) {
    document["findings"].push_back({{"name", finding.name},
                                    {"verdict", absl::AsciiStrToLower(VerdictName(finding.verdict))},
                                    {"detail", finding.detail},
                                    {"advice", finding.advice}});
  }
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

bool AnyFailed(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.verdict == Verdict::kFail; });
}

}  // namespace kernelsmith::client
