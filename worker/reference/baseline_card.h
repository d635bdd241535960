// The card that the PyTorch baseline runs on, where that is not the host: what its process needs to reach it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kernelsmith::worker {

struct BaselineCard {
  std::string device;                                    // as PyTorch calls it, for example "npu:0"; empty: the host
  std::string software;                                  // for reports, for example "torch_npu 2.1.0"
  std::vector<std::string> nodes;                        // device nodes
  std::vector<std::pair<std::string, std::string>> env;  // beside what every reference process has
  std::vector<std::pair<std::string, std::string>> read_only;  // host path, path inside
};

}  // namespace kernelsmith::worker
