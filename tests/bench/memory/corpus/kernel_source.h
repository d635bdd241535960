// Sources of kernels, as a model or the catalog would write them: Ascend C and C++, from templates with varied names,
// types and parameters. They look right; nobody compiles them.
#pragma once

#include <string>

#include "tests/bench/memory/corpus/random.h"
#include "tests/bench/memory/corpus/vocabulary.h"

namespace kernelsmith::memory::bench {

struct SourceParameters {
  bool ascend = true;
  std::string operator_name;
  std::string element_type;  // "half"
  int tile = 1024;           // elements
  int buffers = 2;
  int cores = 8;
};

// About 1.2 KB. The draws from `names` decide the identifiers, so that the versions of one session share them.
std::string KernelSource(const Vocabulary& vocabulary, const SourceParameters& parameters, Random names);

}  // namespace kernelsmith::memory::bench
