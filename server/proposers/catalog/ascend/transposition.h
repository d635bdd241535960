// Kernels that swap two groups of dimensions: tiles come in as rows, are turned in UB, and leave as rows.
#pragma once

#include "server/proposers/catalog/ascend/plan_text.h"
#include "server/proposers/catalog/ascend/prelude.h"
#include "server/proposers/catalog/ascend/render.h"

namespace kernelsmith::server {

// REQUIRES: `schedule` is normalised.
AscendSource RenderTransposition(const Problem& problem, const Parameters& schedule, Sync sync,
                                 const PlanOptions& options);

}  // namespace kernelsmith::server
