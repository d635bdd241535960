// What differs between two kernels for the same task, as facts that can be read off their source.
//
//   for (const Difference& d : CompareStructures(ReadStructure(...), ReadStructure(...))) out << DifferenceLine(d);
#pragma once

#include <string>
#include <vector>

#include "common/coldstart/kernel_structure.h"

namespace kernelsmith::common {

struct Difference {
  enum class Kind { kLaunch, kTile, kBuffer, kQueue, kCopy, kBarrier, kFlag, kCall, kLoop, kType, kMark };
  Kind kind = Kind::kCall;
  std::string what;    // "buffers of in", "PipeBarrier<PIPE_ALL>"
  std::string before;  // in the generated kernel; empty: it is not there
  std::string after;   // in the expert kernel; empty: it is not there
};

// By kind, then by name. Empty for kernels that do not differ in what is read (KernelStructure).
std::vector<Difference> CompareStructures(const KernelStructure& generated, const KernelStructure& expert);

// "copies: `DataCopyPad` 4 -> 2 call sites"
std::string DifferenceLine(const Difference& difference);

// Statements that only one of two has, in order, with their repetitions; long ones are shortened.
struct StatementChanges {
  std::vector<std::string> removed;
  std::vector<std::string> added;
};
StatementChanges CompareStatements(const KernelStructure& generated, const KernelStructure& expert);

}  // namespace kernelsmith::common
