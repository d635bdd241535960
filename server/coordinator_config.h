// Checks a coordinator's configuration before anything starts.
#pragma once

#include "absl/status/status.h"
#include "kernelsmith/config/v1/config.pb.h"

namespace kernelsmith::server {

// INVALID_ARGUMENT names the field: no data folder or memory, a negative value, a lease shorter than three heartbeats,
// phases of an evaluation that do not fit within it, an endpoint or a team that is listed twice.
absl::Status CheckCoordinatorConfig(const config::v1::CoordinatorConfig& config);

}  // namespace kernelsmith::server
