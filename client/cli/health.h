// Asks a server for its health by the standard gRPC health protocol.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "kernelsmith/client/connection.h"

namespace kernelsmith::client {

// OK when the server says SERVING; UNAVAILABLE otherwise.
absl::Status CheckHealth(const ConnectOptions& options, absl::Duration timeout);

}  // namespace kernelsmith::client
