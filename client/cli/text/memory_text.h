// Memory items, lineage and counts as text.
#pragma once

#include <string>
#include <vector>

#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::client {

std::string SearchText(const v1::RetrieveResponse& found);
std::string ItemText(const v1::Item& item);
// The forest, children indented under their parent, roots and siblings in the order given.
std::string LineageText(const std::vector<v1::LineageNode>& nodes);
std::string StatsText(const v1::StatsResponse& stats);

}  // namespace kernelsmith::client
