// One finding of `kernelsmith doctor`.
#pragma once

#include <string>
#include <vector>

namespace kernelsmith::client {

enum class Verdict { kOk, kWarn, kFail };

struct Finding {
  std::string name;  // what was looked at, for example "bubblewrap"
  Verdict verdict = Verdict::kOk;
  std::string detail;  // what was found
  std::string advice;  // what to do; empty when ok
};

// "ok", "warn", "FAIL"
std::string VerdictName(Verdict verdict);

// Aligned lines, advice indented under its finding.
std::string FindingsText(const std::vector<Finding>& findings);
// {"ok": bool, "findings": [{"name", "verdict", "detail", "advice"}]}; verdicts are ok, warn, fail.
std::string FindingsJson(const std::vector<Finding>& findings);

bool AnyFailed(const std::vector<Finding>& findings);

}  // namespace kernelsmith::client
