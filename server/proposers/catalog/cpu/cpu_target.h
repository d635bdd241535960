// The cpu target: one C++20 source a candidate, vectorised and threaded by hand.
#pragma once

#include "server/proposers/catalog/target.h"

namespace kernelsmith::server {

const CatalogTarget& CpuTarget();

}  // namespace kernelsmith::server
