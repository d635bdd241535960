// How stages and rewards change what was learned about an item. The same steps serve a team's own items and, through
// SharedUpdate, the items of the graph of "shared".
#pragma once

#include <cstdint>

#include "memory/graph/records.h"

namespace kernelsmith::memory {

// One tick of the utility. A retrieval counts in n_retrieved, a resident's use in the n of eta only.
UtilityStep TickUtility(LearnedValues& values, double xi, double eta_min, bool as_resident);

// One stage in which the item was adopted, for `operator_name`.
void CountAdoption(LearnedValues& values, uint32_t operator_name);

// Q of one stage of one item.
struct StageQ {
  double q = 0;
  uint32_t count = 0;
};

// One reward, into the Q of `stage` (REFINING, or else drafting). The first one starts from q0.
void LearnReward(LearnedValues& values, v1::Stage stage, double reward, double alpha, double q0);
void LearnReward(StageQ& q, double reward, double alpha, double q0);

// Which Q of an item, where Q is kept by target and family.
struct QContextKey {
  int item = -1;
  uint32_t context = 0;
  bool refining = false;

  bool operator==(const QContextKey&) const = default;
  template <typename H>
  friend H AbslHashValue(H state, const QContextKey& key) {
    return H::combine(std::move(state), key.item, key.context, key.refining);
  }
};

}  // namespace kernelsmith::memory
