// Utility-gated consolidation (SAGE, arXiv 2609.35568): which rules are always in the prompt.
//
//   if (PassesGate({.u = 0.425, .n_adopted = 3, .operators = 3}, rules)) ...
//   const double u_resident = ResidentUtility(0.425, ColdUsage(3, 5), 400);   // 6.375e-4 a token
//   const std::vector<int> set = RebuildResidents(candidates, rules.resident_budget);
//
// One set for each (team, target, policy).
#pragma once

#include <cstdint>
#include <vector>

#include "memory/values/policy.h"

namespace kernelsmith::memory {

struct GateInput {
  double u = 0;
  int64_t n_adopted = 0;  // stages
  int64_t operators = 0;  // distinct ones where it was adopted
};

// u > 0 and n_ado >= K_ado and distinct operators >= K_op.
bool PassesGate(const GateInput& input, const PolicyRules& rules);

// p of an item that is not resident: n_ret/n_elig, within 0 and 1; 0 if it was never eligible. n_elig counts the stages
// whose hard filters the item passed while it was not resident.
double ColdUsage(int64_t n_retrieved, int64_t n_eligible);

// p of a resident after a stage whose prompt held the set: (1 - mu)*p + mu*[used]. It starts from the cold usage at
// promotion.
double UpdatedUsage(double p, bool used, double mu);

// U = u*p/L: expected utility a token. L = tokens of the rule; REQUIRES: tokens > 0.
double ResidentUtility(double u, double p, int64_t tokens);

// A resident, or an item that passes the gate.
struct ResidentCandidate {
  double utility = 0;  // U
  int64_t tokens = 0;  // L
};

// The new set: by falling U (of equal ones the earlier), starting empty, what still fits into `budget` tokens; what
// does not fit is skipped. A candidate whose U is not above 0 is never taken: a resident that has lost its utility
// leaves even if there is room. Returns indexes in the order of admission.
std::vector<int> RebuildResidents(const std::vector<ResidentCandidate>& candidates, int64_t budget);

// The set of `sage_random_resident`: the same in a random order that `seed` gives, whatever U is.
std::vector<int> DrawResidents(const std::vector<ResidentCandidate>& candidates, int64_t budget, uint64_t seed);

}  // namespace kernelsmith::memory
