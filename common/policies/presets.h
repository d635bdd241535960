// The policy presets of configs/policies by name, and a request merged over its preset.
//
//   for (const std::string& name : PolicyPresetNames()) ...                     // "combined" first: the default
//   ASSIGN_OR_RETURN(const v1::Policy whole, MergedPolicy(request.policy()));   // every field explicit
//
// INVALID_ARGUMENT names the preset field and lists the names.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::common {

// The default first.
const std::vector<std::string>& PolicyPresetNames();

// A preset as its file gives it. `field` names the policy in error messages.
absl::StatusOr<v1::Policy> PolicyPreset(absl::string_view name, absl::string_view field = "policy");

// The preset that `request` names ("combined" if it names none), overridden by every field that is set in it. A number
// or switch without presence cannot be overridden by 0 or UNSPECIFIED; read_only and full_failure_penalty only by true.
absl::StatusOr<v1::Policy> MergedPolicy(const v1::Policy& request, absl::string_view field = "policy");

}  // namespace kernelsmith::common
