#include "memory/graph/policy_table.h"

#include <utility>

#include "common/policies/presets.h"

namespace kernelsmith::memory {
namespace {

// The policy with every default made explicit, without what changes nothing of what is learned. An unknown policy
// stands for itself.
std::string IdentityText(const v1::Policy& policy) {
  absl::StatusOr<v1::Policy> merged = common::MergedPolicy(policy);
  v1::Policy whole = merged.ok() ? *std::move(merged) : policy;
  whole.clear_read_only();
  return whole.SerializeAsString();
}

}  // namespace

int PolicyTable::Intern(const v1::Policy& policy) {
  const auto [entry, added] = numbers_.try_emplace(policy.SerializeAsString(), static_cast<int>(entries_.size()));
  if (!added) return entry->second;
  Entry& known = entries_.emplace_back();
  absl::StatusOr<PolicyRules> rules = ResolvePolicy(policy);
  if (rules.ok()) known.rules = *std::move(rules);
  known.identity =
      identities_.try_emplace(IdentityText(policy), static_cast<uint32_t>(identities_.size())).first->second;
  return entry->second;
}

std::optional<uint32_t> PolicyTable::FindIdentity(const v1::Policy& policy) const {
  const auto known = identities_.find(IdentityText(policy));
  if (known == identities_.end()) return std::nullopt;
  return known->second;
}

}  // namespace kernelsmith::memory
