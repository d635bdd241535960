// The moves of the cpu target; docs/catalog.md has the list.
#pragma once

#include <vector>

#include "server/proposers/catalog/moves.h"

namespace kernelsmith::server {

const std::vector<Move>& CpuMoves(Family family);

}  // namespace kernelsmith::server
