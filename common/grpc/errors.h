// absl::Status to gRPC and back, with google.rpc details in the grpc-status-details-bin trailer. The one place of this
// mapping.
#pragma once

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace kernelsmith::common {

grpc::Status ToGrpc(const absl::Status& status);
absl::Status FromGrpc(const grpc::Status& status);

}  // namespace kernelsmith::common
