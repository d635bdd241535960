// Which operators an item stems from, where that is known by another team's graph: a promoted item has its sources and
// its lineage with the team that promoted it, and an item distilled from a promoted one has them in the graph of
// "shared". A held-out operator takes all of them out of retrieval.
//
//   const std::vector<std::string> origins = OriginsElsewhere(fact, [&](const std::string& team, const auto& visit) {
//     if (const TeamMemory* memory = Find(team)) visit(memory->graph);
//   });
//   graph.Apply(fact, origins);
//
// Every graph has folded the facts before this one, live as in a replay, so both find the same.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "memory/log/fact_record.h"

namespace kernelsmith::memory {

class ExperienceGraph;

// Calls its second argument with the graph of a team, if there is one.
using GraphReader = std::function<void(const std::string& team, const std::function<void(const ExperienceGraph&)>&)>;

std::vector<std::string> OriginsElsewhere(const Fact& fact, const GraphReader& read);

}  // namespace kernelsmith::memory
