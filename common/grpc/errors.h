// absl::Status to gRPC and back, with google.rpc details in the grpc-status-details-bin trailer. The one place of this
// mapping.
#pragma once

#include <grpcpp/support/status.h>

#include "absl/status/status.h"
#include "google/rpc/status.pb.h"

namespace kernelsmith::common {

// The message form, for the rows of a call that has many outcomes. Both number the canonical codes alike.
google::rpc::Status ToMessage(const absl::Status& status);

grpc::Status ToGrpc(const absl::Status& status);
absl::Status FromGrpc(const grpc::Status& status);

}  // namespace kernelsmith::common
