// Packs one prompt: the caller's required blocks, then what the memory offers, whole items within their tiers.
//
//   ASSIGN_OR_RETURN(v1::AssembleContextResponse context, AssembleBlocks(request, rules, offers, counter));
//
// Order of the blocks: stable required, cold, warm, other required, so that prompt caches hit the front and the
// evidence stands near the current state. Within a tier the strongest stand at the edges. Nothing required is ever cut.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "kernelsmith/v1/memory.pb.h"
#include "memory/context/token_counter.h"
#include "memory/values/policy.h"

namespace kernelsmith::memory {

// One item of the pool, in rank order.
struct OfferedItem {
  v1::RankedItem ranked;
  std::vector<std::string> renderings;  // from long to short; see rendering.h
  bool failure = false;
  bool cold = false;  // belongs to the cold tier under a policy with tiers
};

// The response without retrieval id. Under a policy with tiers 30 % of the places and of the warm tier are kept for
// failures. FAILED_PRECONDITION with the overflow in tokens if the required blocks exceed the budget B.
absl::StatusOr<v1::AssembleContextResponse> AssembleBlocks(const v1::AssembleContextRequest& request,
                                                           const PolicyRules& rules,
                                                           const std::vector<OfferedItem>& offers,
                                                           const TokenCounter& counter);

}  // namespace kernelsmith::memory
