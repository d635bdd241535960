// What retrieved experience says about schedules and moves.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/proposers/catalog/moves.h"
#include "server/proposers/catalog/schedule.h"
#include "server/proposers/proposer.h"

namespace kernelsmith::server {

// Statuses that are no evidence for or against a candidate.
bool SaysNothing(v1::EvaluationStatus status);

// One retrieved case whose schedule the catalog can read: one of the problem's own target.
struct Experience {
  std::string item_id;
  std::string operator_name;
  std::string move;       // thought id
  Parameters parameters;  // as recorded
  bool same_family = false;
  bool passed = false;
  double speedup = 0;  // a_v; 0 if it does not count on this target
  double gain = 0;  // of the move, in (-inf, +inf): log of the effect, with values of memory mixed in; -1 for a failure
  double weight = 0;  // similarity to this task and confidence, in (0, 1]
};

// The usable cases among the request's items, in their order. An item without one is skipped: see AdoptionOf for why.
std::vector<Experience> ReadExperience(const ProposalRequest& request, const Problem& problem);

// Sum of weight * gain over the cases that tried `move`; those that set another value of its key count a third.
// Appends the ids of the cases that speak for it, or against it, if the lists are given.
double EvidenceFor(const Move& move, const std::string& value, const std::vector<Experience>& experience,
                   std::vector<std::string>* in_favour = nullptr, std::vector<std::string>* against = nullptr);

// Positions of the correct cases of the same family, most promising schedule first.
std::vector<size_t> RankedSchedules(const std::vector<Experience>& experience);

}  // namespace kernelsmith::server
