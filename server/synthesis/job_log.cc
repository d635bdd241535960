#include "server/synthesis/job_log.h"

#include <iterator>

#include "common/status.h"

namespace kernelsmith::server {
namespace {

constexpr int kBatch = 1000;

}  // namespace

absl::StatusOr<std::vector<v1::JobEvent>> AllEvents(const JobStore& store, absl::string_view job_id) {
  std::vector<v1::JobEvent> all;
  while (true) {
    ASSIGN_OR_RETURN(std::vector<v1::JobEvent> batch,
                     store.Events(job_id, all.empty() ? 0 : all.back().sequence(), kBatch));
    const bool last = batch.size() < kBatch;
    std::move(batch.begin(), batch.end(), std::back_inserter(all));
    if (last) return all;
  }
}

absl::StatusOr<JobHistory> FoldAll(const std::vector<v1::JobEvent>& events) {
  JobHistory history;
  for (const v1::JobEvent& event : events) RETURN_IF_ERROR(Fold(event, history));
  return history;
}

absl::Status CatchUp(const JobStore& store, absl::string_view job_id, JobHistory& history) {
  while (true) {
    ASSIGN_OR_RETURN(const std::vector<v1::JobEvent> batch, store.Events(job_id, history.last_sequence, kBatch));
    for (const v1::JobEvent& event : batch) RETURN_IF_ERROR(Fold(event, history));
    if (batch.size() < kBatch) return absl::OkStatus();
  }
}

}  // namespace kernelsmith::server
