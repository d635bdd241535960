#include "server/api/intake.h"

#include "absl/strings/str_cat.h"
#include "common/file_io.h"
#include "common/status.h"

namespace kernelsmith::server {
namespace {

constexpr int kDefaultMaxQueued = 1000;
constexpr absl::Duration kQueueRetry = absl::Seconds(30);
constexpr absl::Duration kDiskRetry = absl::Minutes(1);

}  // namespace

absl::Status Intake::Admit(const std::string& team) const {
  RETURN_IF_ERROR(CheckDisk());
  int limit = kDefaultMaxQueued;
  for (const config::v1::TeamQuota& quota : config_.teams()) {
    if (quota.team() == team && quota.max_queued_jobs() > 0) limit = quota.max_queued_jobs();
  }
  const int queued = store_.Count(team, v1::SUBMITTED) + store_.Count(team, v1::QUEUED);
  if (queued < limit) return absl::OkStatus();
  return common::Exhausted(absl::StrCat("team '", team, "' has ", queued, " jobs waiting, its limit; try again later"),
                           kQueueRetry);
}

absl::Status Intake::CheckDisk() const {
  const int64_t needed = config_.min_free_disk_bytes() > 0 ? config_.min_free_disk_bytes() : kDefaultMinFreeDiskBytes;
  ASSIGN_OR_RETURN(const int64_t free, common::FreeDiskBytes(config_.data_dir()));
  if (free >= needed) return absl::OkStatus();
  return common::Exhausted(absl::StrCat("the coordinator's disk has ", free >> 20, " MiB free, less than the ",
                                        needed >> 20, " MiB it keeps; no job is taken until there is room"),
                           kDiskRetry);
}

}  // namespace kernelsmith::server
