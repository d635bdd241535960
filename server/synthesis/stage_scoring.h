// What memory needs to score a stage (algorithms.md section 2), from the rounds that no completed stage holds yet. A
// job that was extended scores the added rounds as a stage of their own.
#pragma once

#include <string>
#include <vector>

#include "kernelsmith/v1/types.pb.h"
#include "server/synthesis/job_history.h"

namespace kernelsmith::server {

struct StageOutcome {
  std::string stage_id;                    // "<job>/DRAFTING/1": unique and the same after a restart
  std::vector<std::string> retrieval_ids;  // of rounds that were evaluated
  bool passed = false;
  double first_us = 0;  // REFINING only: best latency before the stage's first round
  double best_us = 0;   // REFINING only: best latency now
};

StageOutcome OutcomeOf(v1::Stage stage, const JobHistory& history);

}  // namespace kernelsmith::server
