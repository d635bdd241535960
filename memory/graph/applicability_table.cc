#include "memory/graph/applicability_table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/string_view.h"
#include "memory/graph/toolchain_version.h"

namespace kernelsmith::memory {
namespace {

template <typename Names>
bool Admits(const Names& names, absl::string_view value) {
  if (names.empty() || value.empty()) return true;
  return std::any_of(names.begin(), names.end(), [value](const std::string& name) { return name == value; });
}

v1::Applicability LimitsOf(v1::Applicability applicability) {
  applicability.clear_dtypes();
  applicability.clear_applies_when();
  return applicability;
}

}  // namespace

bool HoldsFor(const v1::Applicability& applicability, const v1::Target& target) {
  if (!Admits(applicability.architectures(), target.architecture())) return false;
  if (!Admits(applicability.socs(), target.soc())) return false;
  const Toolchain toolchain = SplitToolchain(target.toolchain());
  if (!Admits(applicability.toolchains(), toolchain.name)) return false;
  if (toolchain.version.empty()) return true;
  const std::string& from = applicability.toolchain_from();
  const std::string& to = applicability.toolchain_to();
  return (from.empty() || CompareVersions(toolchain.version, from) >= 0) &&
         (to.empty() || CompareVersions(toolchain.version, to) <= 0);
}

uint32_t ApplicabilityTable::Intern(const v1::Applicability& applicability) {
  v1::Applicability limits = LimitsOf(applicability);
  const auto [entry, added] = numbers_.try_emplace(limits.SerializeAsString(), size());
  if (added) entries_.push_back(std::move(limits));
  return entry->second;
}

std::optional<uint32_t> ApplicabilityTable::Find(const v1::Applicability& applicability) const {
  const auto entry = numbers_.find(LimitsOf(applicability).SerializeAsString());
  if (entry == numbers_.end()) return std::nullopt;
  return entry->second;
}

}  // namespace kernelsmith::memory
