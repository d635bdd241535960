// From a problem and a schedule to kernel.asc and plan.cpp. Pure: equal arguments give equal bytes.
#pragma once

#include <string>

#include "server/proposers/catalog/problem.h"
#include "server/proposers/catalog/schedule.h"

namespace kernelsmith::server {

struct AscendSource {
  std::string kernel;
  std::string plan;
};

// REQUIRES: the problem's target is the ascend target and has accepted it. `parameters` is normalised first.
AscendSource RenderAscend(const Problem& problem, const Parameters& parameters);

}  // namespace kernelsmith::server
