// One set of inputs with the outputs that are right for it. Immutable once made.
#pragma once

#include "worker/reference/packed_tensors.h"
#include "worker/reference/reference.h"

namespace kernelsmith::worker {

struct Variant {
  PackedTensors inputs;
  Expected expected;
};

}  // namespace kernelsmith::worker
