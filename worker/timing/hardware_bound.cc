#include "worker/timing/hardware_bound.h"

#include <algorithm>

#include "worker/runner/tensor_layout.h"

namespace kernelsmith::worker {

int64_t BytesTouched(const v1::TaskCase& task_case) {
  int64_t bytes = 0;
  for (const auto* tensors : {&task_case.inputs(), &task_case.outputs()}) {
    for (const v1::TensorDescriptor& tensor : *tensors) {
      int64_t elements = 1;
      for (const int64_t extent : tensor.shape()) elements *= extent;
      bytes += elements * ElementBytes(tensor.dtype());
    }
  }
  return bytes;
}

absl::Duration HardwareBound(int64_t bytes, int cpu_count, double bytes_per_second_and_core) {
  return absl::Seconds(static_cast<double>(bytes) / (bytes_per_second_and_core * std::max(cpu_count, 1)));
}

}  // namespace kernelsmith::worker
