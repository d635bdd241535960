// The moves of the ascend target; docs/catalog.md has the list.
#pragma once

#include <vector>

#include "server/proposers/catalog/moves.h"

namespace kernelsmith::server {

// Empty for families without schedules on this target.
const std::vector<Move>& AscendMoves(Family family);

}  // namespace kernelsmith::server
