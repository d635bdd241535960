// The forest of attempts as a drawing: one self-contained SVG file, without scripts and without anything fetched.
#pragma once

#include <string>
#include <vector>

#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::client {

// Roots on the left, successors to the right; a box for each attempt with its id, latency, r, label and d, coloured by
// label; edges from another job are dashed. Details stand in tooltips. The same nodes always give the same bytes.
std::string LineageSvg(const std::vector<v1::LineageNode>& nodes);

}  // namespace kernelsmith::client
