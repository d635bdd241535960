// Whether the coordinator takes another job: the team's quota and the free disk space.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "kernelsmith/config/v1/config.pb.h"
#include "server/jobs/job_store.h"

namespace kernelsmith::server {

inline constexpr int64_t kDefaultMinFreeDiskBytes = int64_t{512} << 20;

// Thread-safe.
class Intake {
 public:
  // The arguments must outlive the object.
  Intake(const JobStore& store, const config::v1::CoordinatorConfig& config) : store_(store), config_(config) {}

  // RESOURCE_EXHAUSTED with the time to retry if the team has too many jobs waiting, or the disk is nearly full.
  absl::Status Admit(const std::string& team) const;

  // The disk's half of Admit.
  absl::Status CheckDisk() const;

 private:
  const JobStore& store_;
  const config::v1::CoordinatorConfig& config_;
};

}  // namespace kernelsmith::server
