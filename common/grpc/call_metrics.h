// Counts and times every call of a server: kernelsmith_rpc_calls_total and kernelsmith_rpc_seconds by method and code.
#pragma once

#include <grpcpp/support/server_interceptor.h>

#include <memory>

#include "common/metrics.h"

namespace kernelsmith::common {

// `metrics` must outlive the server.
std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> MakeCallMetrics(Metrics& metrics);

}  // namespace kernelsmith::common
