// Whether what a schedule renders computes what it should.
#pragma once

#include <utility>
#include <vector>

#include "server/proposers/catalog/schedule.h"
#include "tests/server/catalog/catalog_tasks.h"

namespace kernelsmith::server::testing {

// Compiles the schedule's candidate once and compares it with the reference on odd and even shapes, one row, one
// column, and inputs of small and large magnitude.
void ExpectCorrect(const Operator& op, const Parameters& schedule);

// The same for the ascend target, on the emulated card: right numbers and no finding. KERNELSMITH_CATALOG_TIMES in the
// environment prints simulated times. REQUIRES: AscendCandidate::Available().
void ExpectCorrectOnAscend(const Operator& op, const Parameters& schedule, bool auto_sync,
                           const std::vector<std::pair<int64_t, int64_t>>& shapes);

// The schedule with every value of the operator's space drawn by `seed`.
Parameters RandomSchedule(const Problem& problem, uint64_t seed);

// A schedule that uses most of what the family has.
Parameters StrongSchedule(const Problem& problem);

}  // namespace kernelsmith::server::testing
