// A schedule: how an operator is computed. The parameter map of a thought determines it completely, and every map is
// one: unknown keys are dropped, missing, unknown or pointless values become the default of their key. So a map that
// was written for another operator, by another version or by hand still gives valid code.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "server/proposers/catalog/problem.h"

namespace kernelsmith::server {

using Parameters = std::map<std::string, std::string>;

// One key and the values it may have; the first is the default and belongs to the naive schedule.
struct ParameterSpace {
  std::string key;
  std::vector<std::string> values;
};

// The keys that mean something for this problem.
std::vector<ParameterSpace> SpaceOf(const Problem& problem);

// The one way to write down the schedule that `parameters` stands for: every key of the space, with keys that have no
// effect under the others at their default.
Parameters Normalise(const Problem& problem, const Parameters& parameters);

// "lanes=16 loops=fused threads=all": the values that differ from the naive schedule, for titles and logs.
std::string Describe(const Problem& problem, const Parameters& parameters);

}  // namespace kernelsmith::server
