// The inner loop of comparison: whether a block of floating-point values lies within its tolerance. Written so that the
// compiler vectorises it. Pure.
#pragma once

#include <cstddef>

#include "worker/verification/tolerance.h"

namespace kernelsmith::worker {

struct BlockSummary {
  bool clean = true;   // all within tolerance and finite on both sides; otherwise the block needs a closer look
  double max_abs = 0;  // largest |got - want|; meaningful when clean
  double max_rel = 0;  // largest |got - want| / (|want| + rms); meaningful when clean
};

// `rms` of the whole expected output scales the relative error, so that a zero does not make it infinite.
BlockSummary SummarizeBlock(const float* got, const float* want, size_t count, const ToleranceRule& rule, double rms);
BlockSummary SummarizeBlock(const double* got, const double* want, size_t count, const ToleranceRule& rule, double rms);

}  // namespace kernelsmith::worker
