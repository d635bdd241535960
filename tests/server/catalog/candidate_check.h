// Whether what a schedule renders computes what it should.
#pragma once

#include "server/proposers/catalog/schedule.h"
#include "tests/server/catalog/catalog_tasks.h"

namespace kernelsmith::server::testing {

// Compiles the schedule's candidate once and compares it with the reference on odd and even shapes, one row, one
// column, and inputs of small and large magnitude.
void ExpectCorrect(const Operator& op, const Parameters& schedule);

// The schedule with every value of the operator's space drawn by `seed`.
Parameters RandomSchedule(const Problem& problem, uint64_t seed);

// A schedule that uses most of what the family has.
Parameters StrongSchedule(const Problem& problem);

}  // namespace kernelsmith::server::testing
