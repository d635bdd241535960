#include "server/proposers/catalog/moves.h"

#include "server/proposers/catalog/target.h"

namespace kernelsmith::server {

const std::vector<Move>& MovesOf(const Problem& problem) { return problem.target->Moves(problem.family); }

const Move* FindMove(const std::string& id) {
  for (const CatalogTarget* target : AllTargets()) {
    for (const Family family : {Family::kRowReduction, Family::kElementwise, Family::kMatmul, Family::kTransposition}) {
      for (const Move& move : target->Moves(family)) {
        if (move.id == id) return &move;
      }
    }
  }
  return nullptr;
}

Parameters Apply(const Problem& problem, const Parameters& base, const Move& move, const std::string& value) {
  Parameters next = Normalise(problem, base);
  for (const auto& [key, implied] : move.implies) next[key] = implied;
  next[move.key] = value;
  return Normalise(problem, next);
}

}  // namespace kernelsmith::server
