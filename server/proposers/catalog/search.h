// Which schedule to try next: a pure function of the request.
//
//   no correct kernel yet   the most promising retrieved schedule of the family, else the naive one; each schedule once
//   refining                one move from the start round's schedule, by evidence of the job's own rounds and of
//   retrieved
//                           cases, then in the seeded order; a schedule is never tried twice, a move that failed or
//                           made things much slower is not tried again
//   single moves used up    neighbours of the best schedule that differ in two parameters
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/proposers/catalog/evidence.h"
#include "server/proposers/catalog/problem.h"
#include "server/proposers/catalog/schedule.h"
#include "server/proposers/proposer.h"

namespace kernelsmith::server {

struct Adoption {
  std::string item_id;
  std::string reason;
};

struct Choice {
  Parameters parameters;
  v1::Purpose purpose = v1::SPEED;
  std::string move;             // thought id
  std::string value;            // of the move's key; empty for whole schedules
  std::string change;           // "lanes 1 -> 16"
  int start_round = 0;          // whose schedule was changed; 0 for a draft
  std::string source_operator;  // of a reused schedule
  double source_speedup = 0;    // of a reused schedule
  double evidence = 0;
  std::vector<Adoption> adopted;  // items whose schedule or move is used
};

// OUT_OF_RANGE when every schedule that the search reaches was tried.
absl::StatusOr<Choice> ChooseNext(const Problem& problem, const ProposalRequest& request);

// The schedule that a past round tried; nullptr-like empty if the catalog did not make it.
Parameters ScheduleOf(const Problem& problem, const PastRound& round);

}  // namespace kernelsmith::server
