// Schedules of the ascend target that tests look at, and candidates of them.
#pragma once

#include <string>
#include <vector>

#include "server/proposers/catalog/ascend/render.h"
#include "tests/server/catalog/catalog_tasks.h"

namespace kernelsmith::server::testing {

// The problem of an operator on the ascend target; FAILED_PRECONDITION as from Understand.
absl::StatusOr<Problem> AscendProblem(const Operator& op);

// The naive schedule, one for each value of each key on top of a fused vector schedule, the strongest, and `drawn`
// drawn ones; each once.
std::vector<Parameters> AscendSchedules(const Problem& problem, int drawn);

}  // namespace kernelsmith::server::testing
