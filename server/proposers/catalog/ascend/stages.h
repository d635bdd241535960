// Launches of a candidate and where the tensors of each are. Fused, a program is one launch; per operation, each value
// that fills the space and each reduction is a launch of its own and goes through the workspace in global memory.
#pragma once

#include <vector>

#include "server/proposers/catalog/program.h"

namespace kernelsmith::server {

struct StageTensor {
  enum class Kind { kInput, kOutput, kWorkspace };
  Kind kind = Kind::kInput;
  int index = 0;  // among the call's inputs, its outputs, or StagePlan::workspace
};

struct Stage {
  Program program;                  // its inputs are numbered as `inputs`, its outputs as `outputs`
  std::vector<StageTensor> inputs;  // one for each of program.inputs, which is in the same order
  std::vector<StageTensor> outputs;
};

struct StagePlan {
  std::vector<Stage> stages;
  std::vector<Footprint> workspace;  // tensors of 4-byte elements, by what they vary over
};

StagePlan OneStage(const Program& program);
// OneStage if there would be more launches than a plan may have.
StagePlan StagePerOperation(const Program& program);

}  // namespace kernelsmith::server
