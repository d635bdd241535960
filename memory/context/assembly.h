// Packs one prompt: the caller's required blocks, then what the memory offers, whole items within their tiers.
//
//   ASSIGN_OR_RETURN(v1::AssembleContextResponse context, AssembleBlocks(request, rules, offers, counter));
//
// What the policy's packing admits:
//   REQUIRED_ONLY   nothing of the memory
//   FLAT            residents, then the k best of the pool as one list, within Q_w
//   FLAT_AND_APIS   the same; API templates within Q_c
//   TIERS           residents, the start point's children, then k of the pool within Q_w, 30 % of it kept for failures;
//                   API templates and k cold items of the pool within Q_c
//   PROPOSER_ASKS   residents within Q_w; the pool is for the proposer to ask for
// FLAT and FLAT_AND_APIS take the children of the start point too where the caller offers them.
//
// Order of the blocks: stable required, residents, API templates, cold, warm, other required, so that prompt caches hit
// the front and the evidence stands near the current state. Within cold and warm the strongest stand at the edges.
// Nothing required is ever cut, and every item gets exactly one decision with its reason.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "kernelsmith/v1/memory.pb.h"
#include "memory/context/token_counter.h"
#include "memory/values/policy.h"

namespace kernelsmith::memory {

// Why an item is offered. An item that is offered twice counts as the first of these that it has.
enum class OfferRole {
  kResident,    // always in the prompt; offered by falling U
  kStartChild,  // an attempt that started from the start point; the most telling first
  kApi,         // an API template wanted by exact name, bundle or text
  kRanked,      // of the pool, in rank order; takes one of the k places
};

struct OfferedItem {
  v1::RankedItem ranked;
  std::vector<std::string> renderings;  // from long to short, at least one; see rendering.h
  // Gives the renderings where `renderings` is empty; asked once, and only if the item competes for room.
  std::function<std::vector<std::string>()> render = {};
  OfferRole role = OfferRole::kRanked;
  bool failure = false;
  bool cold = false;  // belongs to the cold tier under TIERS, for example one of another family; documents, traces and
                      // API templates do anyway
};

// The response without retrieval id. FAILED_PRECONDITION with the overflow in tokens if the required blocks exceed the
// budget B.
absl::StatusOr<v1::AssembleContextResponse> AssembleBlocks(const v1::AssembleContextRequest& request,
                                                           const PolicyRules& rules,
                                                           const std::vector<OfferedItem>& offers,
                                                           const TokenCounter& counter);

}  // namespace kernelsmith::memory
