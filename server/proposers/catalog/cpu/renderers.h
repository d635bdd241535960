// The renderers behind Render(), one per shape of loop. Each writes the middle of a candidate: everything between the
// head and the end of the anonymous namespace, up to `void work(const Arguments& a)` or, for products, ks_kernel
// itself.
#pragma once

#include "server/proposers/catalog/problem.h"
#include "server/proposers/catalog/schedule.h"
#include "server/proposers/catalog/text.h"

namespace kernelsmith::server {

// One loop nest over the whole operator for every value, with a temporary each.
void RenderPerOp(const Program& program, Text* text);
// All values of a row, or of a block of it, before the next.
void RenderFused(const Program& program, const Parameters& schedule, Text* text);
// The matrix products: functions and entry point.
void RenderMatmul(const Problem& problem, const Parameters& schedule, Text* text);

}  // namespace kernelsmith::server
