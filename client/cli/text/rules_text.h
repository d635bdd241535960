// Conflicts between rules, resident rules and policies as text.
#pragma once

#include <string>
#include <vector>

#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::client {

std::string ConflictsText(const v1::ListConflictsResponse& found);
std::string ResidentsText(const v1::ListResidentsResponse& found);
std::string PoliciesText(const std::vector<v1::Policy>& policies);

}  // namespace kernelsmith::client
