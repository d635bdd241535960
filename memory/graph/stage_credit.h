// What one finished stage does to the utilities of the items that its prompts held.
//
//   StageCredit credit = CreditOf(stage, rounds, rules);
//   for (const CreditTick& tick : credit.ticks) ...   // apply in order
//
// Pure: the graph gathers the rounds and applies the ticks.
#pragma once

#include <vector>

#include "kernelsmith/v1/memory.pb.h"
#include "memory/values/policy.h"

namespace kernelsmith::memory {

// One retrieval of the stage: the items that the prompt held, and how the attempt made from it went.
struct StageRound {
  std::vector<int> items;
  std::vector<bool> adopted;        // as long as items
  std::vector<bool> resident = {};  // as long as items, or empty if none of them was resident
  bool correct = false;             // the attempt passed
  double latency_us = 0;            // of the attempt; 0 if not measured
};

// One update of one item.
struct CreditTick {
  int item = -1;
  double xi = 0;
  bool resident = false;  // counts in the n of eta only, not as a retrieval
};

// A resident that the prompts of the stage held: its usage p moves.
struct ResidentUse {
  int item = -1;
  bool used = false;  // adopted at least once
};

struct StageCredit {
  double z = 0;
  std::vector<CreditTick> ticks;   // in order; an item has one tick a stage, or one a round under uniform credit
  std::vector<int> adopted_items;  // each once
  std::vector<ResidentUse> residents;
};

// Adopted credit: R is the union over the rounds, A the items adopted at least once. Uniform credit per round: each
// round's items get the z of that round: while drafting 1 for a correct attempt, while refining 1 - T/T_first for a new
// best, otherwise -delta; per stage: the stage's z. A resident that was used joins A (under uniform credit: gets z) if
// the policy says so; one that was not used gets nothing. What was retrieved in one round and resident in another
// counts as retrieved. No ticks for a policy that keeps no utilities or a read-only one.
StageCredit CreditOf(const v1::CompleteStageRequest& stage, const std::vector<StageRound>& rounds,
                     const PolicyRules& rules);

}  // namespace kernelsmith::memory
