// Differences between kernels whose effect on the hardware is known: for each, when it is recognised, why it helps, and
// when to apply it. What is not in the table gets no reason: none is invented.
//
// Sources of the reasons: the Ascend C figures of docs/knowledge/ascend_c and the vendor's published samples (scalar
// loops, double buffering, transfer sizes, alignment, number of cores); for C++ the architecture of general-purpose
// processors (vector registers, caches, cores).
#pragma once

#include <vector>

#include "common/coldstart/kernel_structure.h"
#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::common {

struct KnownPattern {
  const char* id;  // stable: it becomes the thought's id
  const char* title;
  KernelLanguage language;
  v1::Layer layer;
  const char* bottleneck;  // "memory-bound", "compute-bound", "latency-bound"
  bool (*shows)(const KernelStructure& generated, const KernelStructure& expert);
  const char* reason;   // of the hardware
  const char* pattern;  // what to do
  const char* applies_when;
};

// The patterns that the expert kernel shows against the generated one, the one with the greatest usual effect first.
std::vector<const KnownPattern*> MatchPatterns(const KernelStructure& generated, const KernelStructure& expert);

// The whole table, for tests and documentation.
const std::vector<KnownPattern>& KnownPatterns();

}  // namespace kernelsmith::common
