// What a job's log and payloads say about it: one attempt whole, its logs, the files it refers to.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/jobs/job_store.h"

namespace kernelsmith::server {

// The attempt of a round as far as it has come. Round 0 stands for the incumbent's. NOT_FOUND if there is no such round
// or no incumbent yet.
absl::StatusOr<v1::Attempt> LoadAttempt(const JobStore& store, const std::string& job_id, int round);

// A text that a round left.
struct RoundLog {
  int round = 0;
  std::string name;  // "prompt", "reply", "compiler", "candidate output", ...
  v1::ArtifactRef ref;
};

// In the order in which they came to be. Round 0 stands for all. NOT_FOUND if there is no such round.
absl::StatusOr<std::vector<RoundLog>> ListLogs(const JobStore& store, const std::string& job_id, int round);

// Digests of everything that the job refers to, the logs in its reports included.
absl::StatusOr<std::set<std::string>> DigestsOfJob(const JobStore& store, const std::string& job_id);

}  // namespace kernelsmith::server
