// What a fact of a team does to an item of the graph of "shared". A team's graph cannot change another graph; it hands
// these out, and the owner of all graphs applies them in log order, so that replay gives what the live fold gave:
//
//   std::vector<SharedUpdate> updates = team.Apply(fact);
//   if (!updates.empty()) {
//     shared.ApplyShared(updates);   // fills `step` of utility ticks
//     team.NoteShared(updates);      // so that the stage's record has u before and after
//   }
#pragma once

#include <cstdint>
#include <string>

#include "memory/graph/records.h"

namespace kernelsmith::memory {

struct SharedUpdate {
  enum class What { kUtility, kAdoption, kReward, kHarm };

  What what = What::kUtility;
  IdKey item;
  double amount = 0;                        // kUtility: xi; kReward: the reward
  double eta_min = 0;                       // kUtility
  std::string operator_name;                // kAdoption
  v1::Stage stage = v1::STAGE_UNSPECIFIED;  // kReward, as are the following
  double alpha = 0;
  double q0 = 0;
  std::string q_context;  // empty: Q is not kept by target and family
  int stage_record = -1;  // kUtility: where the team notes the step
  int change = -1;
  UtilityStep step;  // kUtility: filled by ApplyShared
};

}  // namespace kernelsmith::memory
