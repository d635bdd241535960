// What a model is asked for when it distils an item into a rule, and which of its answers are rules. Pure.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::memory {

const std::string& RuleInstructions();

// The rule that the template makes of the item, what came of it, and its text.
std::string RuleMaterial(const v1::Item& item, absl::string_view template_rule);

// The rule of an answer. UNAVAILABLE: it is longer than 1200 bytes.
absl::StatusOr<std::string> RuleOf(const std::string& answer);

}  // namespace kernelsmith::memory
