// The forest of attempts as text for a terminal.
#pragma once

#include <string>
#include <vector>

#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::client {

// A row for each attempt, drawn as a tree, with r, label, d and latency; roots and siblings in the order given. From
// the twelfth level on the depth stands as a number. "~" marks an edge from another job.
std::string LineageText(const std::vector<v1::LineageNode>& nodes);

}  // namespace kernelsmith::client
