// The policies of a team's retrievals and stages as numbers, each resolved once.
//
//   const int policy = table.Intern(request.policy());
//   if (table.rules(policy) != nullptr) ...            // null: this program does not know the policy
//   table.identity(policy);                            // equal for policies that differ in read_only alone
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "kernelsmith/v1/memory.pb.h"
#include "memory/values/policy.h"

namespace kernelsmith::memory {

class PolicyTable {
 public:
  int Intern(const v1::Policy& policy);

  const PolicyRules* rules(int policy) const { return entries_[policy].rules ? &*entries_[policy].rules : nullptr; }

  // Which residents and which normaliser belong to it: a policy and its read-only twin share them. Every other
  // parameter, held-out operators included, makes another identity.
  uint32_t identity(int policy) const { return entries_[policy].identity; }

  // The identity of a policy if one such was interned.
  std::optional<uint32_t> FindIdentity(const v1::Policy& policy) const;

 private:
  struct Entry {
    std::optional<PolicyRules> rules;
    uint32_t identity = 0;
  };

  std::vector<Entry> entries_;
  absl::flat_hash_map<std::string, int> numbers_;          // by the policy's serialised form
  absl::flat_hash_map<std::string, uint32_t> identities_;  // by the merged policy's
};

}  // namespace kernelsmith::memory
