// Which offers a policy's packing admits to which part of the prompt, before any token is counted.
//
//   const Admission admission = Admit(offers, rules);
//   admission.warm            // indexes of offers, best first
//   admission.left_out[i]     // why offer i competes for no room; empty if it does
#pragma once

#include <string>
#include <vector>

#include "memory/context/assembly.h"

namespace kernelsmith::memory {

struct Admission {
  std::vector<int> residents;  // in the order given
  std::vector<int> children;
  std::vector<int> apis;
  std::vector<int> warm;  // of the pool
  std::vector<int> cold;  // of the pool; TIERS only
  std::vector<std::string> left_out;
  std::vector<bool> repeated;  // the same item is offered in another role that counts; it gets no decision
};

// Each list is in the order of the offers. The places of the policy are enforced here: k of the pool for each tier (30
// % of the warm ones kept for failures under TIERS), at most k children.
Admission Admit(const std::vector<OfferedItem>& offers, const PolicyRules& rules);

// The tier in which an offer competes, or would compete.
v1::Tier TierOf(const OfferedItem& offer, const PolicyRules& rules);

}  // namespace kernelsmith::memory
