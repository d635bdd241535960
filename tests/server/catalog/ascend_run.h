// Compiles a candidate of the ascend target with the emulated CANN and runs it on an emulated card, in this process.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernelsmith/v1/task.pb.h"
#include "server/proposers/catalog/ascend/render.h"
#include "tests/server/catalog/catalog_tasks.h"

namespace kernelsmith::server::testing {

struct AscendOutcome {
  int plan = 0;          // what ks_plan returned
  int error = 0;         // of the synchronisation
  std::string findings;  // one line each, notes left out
  double us = 0;         // of all launches, simulated
  int launches = 0;
};

class AscendCandidate {
 public:
  // Whether the emulated toolkit was built.
  static bool Available();
  // Empty with a message in `error` if a file does not compile. `auto_sync`: let the compiler add edges of its own.
  static std::unique_ptr<AscendCandidate> Compile(const AscendSource& source, bool auto_sync, std::string* error);
  ~AscendCandidate();

  // Calls it with row-major tensors holding `inputs`, rounded to their types.
  AscendOutcome Call(const v1::TaskCase& c, const std::vector<Numbers>& inputs, std::vector<Numbers>* outputs) const;

 private:
  AscendCandidate() = default;

  void* kernels_ = nullptr;  // stays loaded: the runtime keeps its images
  void* plan_ = nullptr;
  std::map<std::string, int> arguments_;  // of each kernel
};

}  // namespace kernelsmith::server::testing
