// What a toolchain leaves behind and a device runtime loads.
#pragma once

#include <string>
#include <vector>

namespace kernelsmith::worker {

// A kernel that a plan may launch.
struct KernelSignature {
  std::string name;
  int parameters = 0;  // all of them pointers
};

struct CompiledObject {
  std::string object_path;  // stays until the cache evicts it: at least an hour after use
  // Targets whose launches are planned on the host only.
  std::string plan_path;                 // shared object with ks_plan
  std::vector<KernelSignature> kernels;  // of the object, in the order of its launcher

  bool empty() const { return object_path.empty(); }
};

}  // namespace kernelsmith::worker
