// The moves of the catalog: named changes of a schedule. Ids are stable, because experience is filed under them.
#pragma once

#include <string>
#include <vector>

#include "kernelsmith/v1/memory.pb.h"
#include "server/proposers/catalog/schedule.h"

namespace kernelsmith::server {

struct Move {
  std::string id;
  std::string title;
  std::string reason;  // why it should help, as a clause: "the row stays in the first-level cache"
  v1::Layer layer = v1::LAYER_NONE;
  std::string bottleneck;  // "memory-bound", "compute-bound", "latency-bound"
  std::string applies_when;
  std::string key;                  // the parameter it sets
  std::vector<std::string> values;  // to which values, most promising first
  Parameters implies;               // set as well, because the key has no effect without them
  Parameters unless;                // not offered to a schedule that has these: it is past the move
  int tier = 0;  // order without experience: 0 changes the shape of the computation, 2 tunes a number
};

// The moves for a problem on its target. Which of them change a given schedule is for Apply to find out.
const std::vector<Move>& MovesOf(const Problem& problem);

// nullptr if no target has it. An id means the same parameter wherever it occurs.
const Move* FindMove(const std::string& id);

// `base` with the move's key at `value`, normalised. Equal to the normalised base where the move has no effect.
Parameters Apply(const Problem& problem, const Parameters& base, const Move& move, const std::string& value);

// Thoughts that are not a change of one parameter.
inline constexpr char kNaive[] = "naive";           // the first draft
inline constexpr char kReuse[] = "reuse-schedule";  // the whole schedule of an earlier case
inline constexpr char kCombine[] =
    "combine-parameters";  // a neighbour of a good schedule, when single moves are used up

}  // namespace kernelsmith::server
