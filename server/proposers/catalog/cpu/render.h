// From a problem and a schedule to the source of a candidate. A pure function: equal arguments give equal bytes.
#pragma once

#include <string>

#include "server/proposers/catalog/problem.h"
#include "server/proposers/catalog/schedule.h"

namespace kernelsmith::server {

// A complete kernel.cpp. `parameters` is normalised first, so any map is accepted. The candidate returns 0, 1 for a
// call with other numbers of tensors than it was made for, and 2 for other types, ranks or extents that do not fit
// together.
std::string Render(const Problem& problem, const Parameters& parameters);

}  // namespace kernelsmith::server
