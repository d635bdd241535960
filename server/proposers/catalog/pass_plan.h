// Which values a fused schedule computes in which pass over the reduced group.
#pragma once

#include <vector>

#include "server/proposers/catalog/program.h"

namespace kernelsmith::server {

struct Pass {
  std::vector<int> values;   // computed or read again per element, in evaluation order
  std::vector<int> reads;    // of them, those read from the buffer of an earlier pass
  std::vector<int> keeps;    // of them, those written to the buffer
  std::vector<int> reduces;  // reductions finished by this pass
  std::vector<int> outputs;  // positions of results written per element
};

struct PassPlan {
  std::vector<Pass> passes;
  // Values that do not vary over the reduced group and are not constants: [p] holds those available before pass p, the
  // last entry those after the last pass. Reductions are not among them.
  std::vector<std::vector<int>> between;
  std::vector<int> kept;  // every value with a buffer
};

// `keep`: costly values that a later pass needs again go through a buffer instead of being computed again.
PassPlan PlanPasses(const Program& program, bool keep);

}  // namespace kernelsmith::server
