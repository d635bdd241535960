// When a job ends, and how. Pure: the time is passed in.
#pragma once

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "kernelsmith/v1/job.pb.h"
#include "server/synthesis/job_history.h"

namespace kernelsmith::server {

struct Ending {
  v1::JobState state = v1::JOB_STATE_UNSPECIFIED;
  std::string reason;  // one sentence
};

// Rounds lost to infrastructure after which a job is given up.
inline constexpr int kMaxInfrastructureRounds = 2;

// SUCCEEDED with an incumbent, EXHAUSTED without one.
Ending EndWith(const JobHistory& history, std::string reason);

// Why the job ends instead of starting another round; nothing if it goes on. Checked between rounds: the goal first,
// then failures that make another round pointless, then rounds, tokens, money, wall time and rounds without gain.
std::optional<Ending> EndingBetweenRounds(const JobHistory& history, absl::Time now);

// FAILED once the last round was lost to infrastructure and too many were since the job was last taken up again;
// nothing otherwise.
std::optional<Ending> InfrastructureEnding(const JobHistory& history);

// Wall time left at `now`; InfiniteDuration without such a budget or before the first round.
absl::Duration WallTimeLeft(const JobHistory& history, absl::Time now);

}  // namespace kernelsmith::server
