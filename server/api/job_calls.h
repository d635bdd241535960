// The calls about jobs, below gRPC: the caller's team is an argument, errors are absl::Status.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "kernelsmith/config/v1/config.pb.h"
#include "kernelsmith/v1/coordinator.pb.h"
#include "server/api/intake.h"
#include "server/api/key_claims.h"
#include "server/jobs/job_store.h"
#include "server/synthesis/job_runner.h"

namespace kernelsmith::server {

// Thread-safe.
class JobCalls {
 public:
  // The arguments must outlive the object.
  JobCalls(JobStore& store, JobRunner& runner, const Intake& intake, SynthesisMetrics& metrics,
           const config::v1::CoordinatorConfig& config)
      : store_(store), runner_(runner), intake_(intake), metrics_(metrics), config_(config) {}

  absl::StatusOr<v1::SubmitJobResponse> Submit(const std::string& team, const v1::SubmitJobRequest& request);
  absl::StatusOr<v1::ExtendJobResponse> Extend(const std::string& team, const v1::ExtendJobRequest& request);
  absl::StatusOr<v1::CancelJobResponse> Cancel(const std::string& team, const v1::CancelJobRequest& request);
  absl::StatusOr<v1::ListJobsResponse> List(const std::string& team, const v1::ListJobsRequest& request) const;

 private:
  JobStore& store_;
  JobRunner& runner_;
  const Intake& intake_;
  SynthesisMetrics& metrics_;
  const config::v1::CoordinatorConfig& config_;
  KeyClaims extending_;
};

}  // namespace kernelsmith::server
