// The ascend target: Ascend C kernels for the vector cores of Atlas A2 and A3, launched by a plan.
#pragma once

#include "server/proposers/catalog/target.h"

namespace kernelsmith::server {

const CatalogTarget& AscendTarget();

}  // namespace kernelsmith::server
