// Which waiting job starts next, and why another one waits. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kernelsmith::server {

struct WaitingJob {
  std::string job_id;
  std::string team;
  int priority = 0;  // inside the team, higher first
  int64_t submitted_unix_us = 0;
};

struct TeamShare {
  double weight = 1;
  int max_running = 64;
};

struct ScheduleState {
  std::vector<WaitingJob> waiting;
  std::map<std::string, int> running;       // jobs by team
  std::map<std::string, TeamShare> shares;  // teams that are not listed have the defaults
  int max_active = 64;                      // over all teams
};

// Index into state.waiting, or -1. The team with the fewest running jobs by its weight goes first (then the one whose
// job waits longest); inside the team priority decides, then age. A team at its limit is passed over.
int PickNextJob(const ScheduleState& state);

// Why this job waits, for a person. REQUIRES: index is valid.
std::string ExplainWaiting(const ScheduleState& state, size_t index);

}  // namespace kernelsmith::server
