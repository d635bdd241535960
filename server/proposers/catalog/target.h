// What the catalog has to know about one kind of card: how its schedules are written down, which changes they allow,
// and how a candidate looks. Understanding an operator, searching among schedules and reading experience are the same
// for every target. Targets are constants without state.
//
//   const CatalogTarget* target = FindTarget("ascend");   // null: the catalog writes nothing for that kind
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "kernelsmith/v1/job.pb.h"
#include "server/proposers/catalog/moves.h"
#include "server/proposers/catalog/problem.h"
#include "server/proposers/catalog/schedule.h"

namespace kernelsmith::server {

class CatalogTarget {
 public:
  virtual ~CatalogTarget() = default;

  // "cpu", "ascend".
  virtual std::string CardKind() const = 0;
  // The key that every schedule of this target has, and none of another.
  virtual std::string RootKey() const = 0;
  // FAILED_PRECONDITION if this target has no schedule for a problem that was otherwise understood.
  virtual absl::Status Check(const Problem& problem) const = 0;
  // The keys that mean something for the problem.
  virtual std::vector<ParameterSpace> Space(const Problem& problem) const = 0;
  // Whether `key` says something while the others have the values of `parameters`.
  virtual bool HasEffect(const Problem& problem, const std::string& key, const Parameters& parameters) const = 0;
  // The moves of a family, the same list at every call.
  virtual const std::vector<Move>& Moves(Family family) const = 0;
  // REQUIRES: `schedule` is normalised.
  virtual v1::Candidate Render(const Problem& problem, const Parameters& schedule) const = 0;
};

const CatalogTarget* FindTarget(const std::string& card_kind);
const std::vector<const CatalogTarget*>& AllTargets();

}  // namespace kernelsmith::server
