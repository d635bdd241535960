// Reads a job's events from the store and folds them.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "server/jobs/job_store.h"
#include "server/synthesis/job_history.h"

namespace kernelsmith::server {

absl::StatusOr<std::vector<v1::JobEvent>> AllEvents(const JobStore& store, absl::string_view job_id);

absl::StatusOr<JobHistory> FoldAll(const std::vector<v1::JobEvent>& events);

// Folds what the log has beyond history.last_sequence.
absl::Status CatchUp(const JobStore& store, absl::string_view job_id, JobHistory& history);

}  // namespace kernelsmith::server
