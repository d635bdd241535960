// The calls that run a memory server rather than use it.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "common/grpc/channel.h"
#include "kernelsmith/v1/memory.pb.h"

namespace kernelsmith::memory::bench {

// Without a token, for host:port on loopback.
absl::StatusOr<common::Connection> Dial(const std::string& address);

// Errors as the server's.
absl::StatusOr<v1::SealIndexResponse> SealIndex(const common::Connection& connection);
absl::StatusOr<v1::StatsResponse> Stats(const common::Connection& connection);
// The last message of the stream. DATA_LOSS if the stream ended before it.
absl::StatusOr<v1::VerifyProgress> Verify(const common::Connection& connection);

}  // namespace kernelsmith::memory::bench
