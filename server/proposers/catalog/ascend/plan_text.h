// plan.cpp of a candidate: checks the shapes, chooses tiles that fit into UB, and lists the launches.
#pragma once

#include <string>
#include <vector>

#include "server/proposers/catalog/ascend/kernel_writer.h"
#include "server/proposers/catalog/ascend/stages.h"
#include "server/proposers/catalog/problem.h"

namespace kernelsmith::server {

struct PlanOptions {
  bool all_cores = false;
  int buffers = 1;
  int tile = 2048;  // elements of a tile, at most
  int rows = 1;     // rows of a tile that holds whole rows, or steps of columns, at most
};

// Words of tiling of one launch; 32-bit each, a multiple of 32 bytes.
inline constexpr int kTilingWords = 80;

// `kernels` has the kernels of each stage, the preferred one first.
std::string PlanText(const Problem& problem, const std::string& schedule, const Program& program, const StagePlan& plan,
                     const std::vector<std::vector<KernelShape>>& kernels, const PlanOptions& options);

// What every plan begins with: head comment, headers, checks and the arithmetic of tiles.
std::string PlanHeadText(const Problem& problem, const std::string& schedule, const PlanOptions& options);

}  // namespace kernelsmith::server
