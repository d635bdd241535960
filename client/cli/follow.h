// Watches a job to its end, for submit, extend and watch.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "client/cli/session.h"
#include "kernelsmith/client/client.h"
#include "kernelsmith/v1/job.pb.h"

namespace kernelsmith::client {

struct FollowOptions {
  uint64_t from_sequence = 0;
  std::string out_folder;  // where the winning kernel goes; empty means nowhere
};

// Returns the exit code: of the job's end, or kExitDetached after Ctrl-C, which leaves the job running.
int FollowJob(const Session& session, const Client& client, const v1::Job& job, const FollowOptions& options);

// Writes the job's best kernel with its evidence and says so.
absl::Status SaveKernel(const Session& session, const Client& client, const std::string& job_id,
                        const std::string& folder);

}  // namespace kernelsmith::client
