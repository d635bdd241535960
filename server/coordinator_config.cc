#include "server/coordinator_config.h"

#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/status.h"
#include "server/synthesis/work_options.h"

namespace kernelsmith::server {
namespace {

using common::InvalidField;

// As documented at CoordinatorConfig.
constexpr double kHeartbeatSeconds = 2;
constexpr double kLeaseSeconds = 10;

absl::Status CheckAmounts(const config::v1::CoordinatorConfig& config) {
  const std::pair<const char*, double> amounts[] = {
      {"default_rounds", config.default_rounds()},
      {"heartbeat_s", config.heartbeat_s()},
      {"lease_s", config.lease_s()},
      {"reconnect_grace_s", config.reconnect_grace_s()},
      {"max_infrastructure_failures", config.max_infrastructure_failures()},
      {"quarantine_after", config.quarantine_after()},
      {"quarantine_s", config.quarantine_s()},
      {"min_free_disk_bytes", static_cast<double>(config.min_free_disk_bytes())},
      {"artifact_days", config.artifact_days()},
      {"max_active_jobs", config.max_active_jobs()}};
  for (const auto& [name, value] : amounts) {
    if (!(value >= 0)) {
      return InvalidField(name, absl::StrFormat("is %g; give a positive number, or 0 for the default", value));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckLease(const config::v1::CoordinatorConfig& config) {
  const double heartbeat = config.heartbeat_s() > 0 ? config.heartbeat_s() : kHeartbeatSeconds;
  const double lease = config.lease_s() > 0 ? config.lease_s() : kLeaseSeconds;
  if (lease >= 3 * heartbeat) return absl::OkStatus();
  return InvalidField("lease_s",
                      absl::StrFormat("is %g s, less than three heartbeats of %g s; one late heartbeat would "
                                      "lose the work",
                                      lease, heartbeat));
}

absl::Status CheckTeams(const config::v1::CoordinatorConfig& config) {
  std::set<std::string> teams;
  for (int i = 0; i < config.teams_size(); ++i) {
    const config::v1::TeamQuota& team = config.teams(i);
    const std::string field = absl::StrCat("teams[", i, "]");
    if (team.team().empty()) return InvalidField(field + ".team", "is empty");
    if (!teams.insert(team.team()).second) return InvalidField(field + ".team", "is listed twice");
    if (!(team.weight() >= 0)) return InvalidField(field + ".weight", "is negative");
    if (team.max_queued_jobs() < 0) return InvalidField(field + ".max_queued_jobs", "is negative");
    if (team.max_running_jobs() < 0) return InvalidField(field + ".max_running_jobs", "is negative");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckCoordinatorConfig(const config::v1::CoordinatorConfig& config) {
  if (config.data_dir().empty()) return InvalidField("data_dir", "is empty; name a folder for jobs and artifacts");
  if (config.memory().address().empty()) {
    return InvalidField("memory.address", "is empty; give host:port of the experience memory");
  }
  RETURN_IF_ERROR(CheckAmounts(config));
  RETURN_IF_ERROR(CheckLease(config));
  RETURN_IF_ERROR(CheckTeams(config));
  return CheckLimits(config.limits(), "limits");
}

}  // namespace kernelsmith::server
