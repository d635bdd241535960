#include "server/synthesis/job_schedule.h"

#include <numeric>
#include <tuple>

#include "absl/strings/str_cat.h"

namespace kernelsmith::server {
namespace {

TeamShare ShareOf(const ScheduleState& state, const std::string& team) {
  const auto found = state.shares.find(team);
  return found == state.shares.end() ? TeamShare() : found->second;
}

int RunningOf(const ScheduleState& state, const std::string& team) {
  const auto found = state.running.find(team);
  return found == state.running.end() ? 0 : found->second;
}

int TotalRunning(const ScheduleState& state) {
  return std::accumulate(state.running.begin(), state.running.end(), 0,
                         [](int sum, const auto& entry) { return sum + entry.second; });
}

// Smaller is sooner inside a team.
auto OrderInTeam(const WaitingJob& job) { return std::make_tuple(-job.priority, job.submitted_unix_us, job.job_id); }

}  // namespace

int PickNextJob(const ScheduleState& state) {
  if (TotalRunning(state) >= state.max_active) return -1;
  std::map<std::string, int> first_of_team;
  for (size_t i = 0; i < state.waiting.size(); ++i) {
    const WaitingJob& job = state.waiting[i];
    if (RunningOf(state, job.team) >= ShareOf(state, job.team).max_running) continue;
    const auto [entry, added] = first_of_team.emplace(job.team, static_cast<int>(i));
    if (!added && OrderInTeam(job) < OrderInTeam(state.waiting[entry->second])) entry->second = static_cast<int>(i);
  }
  int picked = -1;
  double picked_load = 0;
  for (const auto& [team, index] : first_of_team) {
    const double load = RunningOf(state, team) / ShareOf(state, team).weight;
    const bool older = picked >= 0 && load == picked_load &&
                       state.waiting[index].submitted_unix_us < state.waiting[picked].submitted_unix_us;
    if (picked < 0 || load < picked_load || older) {
      picked = index;
      picked_load = load;
    }
  }
  return picked;
}

std::string ExplainWaiting(const ScheduleState& state, size_t index) {
  const WaitingJob& job = state.waiting[index];
  const int running = RunningOf(state, job.team);
  if (running >= ShareOf(state, job.team).max_running) {
    return absl::StrCat("team quota: ", running, " jobs of team '", job.team, "' run, its limit");
  }
  if (TotalRunning(state) >= state.max_active) {
    return absl::StrCat("waits for its turn: ", state.max_active, " jobs run, the limit of this coordinator");
  }
  return "about to start";
}

}  // namespace kernelsmith::server
